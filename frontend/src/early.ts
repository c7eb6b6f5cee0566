// Runs before the first paint, so that nothing changes its colour or its size afterwards.
import { applyLook } from "./look";

applyLook();
addEventListener("storage", applyLook);

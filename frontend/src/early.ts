// Runs before the first paint, so that nothing changes its colour or its size afterwards.
import { applyLook, onOtherLook } from "./look";

applyLook();
onOtherLook(applyLook);

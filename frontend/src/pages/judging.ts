// The judging desk.
import { startDesk } from "../desk/main";

void startDesk();

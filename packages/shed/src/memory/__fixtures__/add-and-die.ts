import { OpenDirectory } from "../../files/open-directory.ts";
import { addStamped } from "../stamped-files.ts";

/** Adds a file to a folder, and is killed when it is written and has not got its name yet. */
OpenDirectory.prototype.link = () => {
  process.kill(process.pid, "SIGKILL");
};
addStamped(process.argv[2] ?? "", ["c1"], "20260501T120000000000Z", "half a story");

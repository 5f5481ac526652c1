import { cat } from "./cat.ts";
import type { CommandDefinition, CommandName } from "./command.ts";
import { cp } from "./cp.ts";
import { diff } from "./diff.ts";
import { find } from "./find.ts";
import { gio } from "./gio.ts";
import { grep } from "./grep.ts";
import { head } from "./head.ts";
import { ls } from "./ls.ts";
import { mkdir } from "./mkdir.ts";
import { mv } from "./mv.ts";
import { pwd } from "./pwd.ts";
import { rg } from "./rg.ts";
import { rm } from "./rm.ts";
import { tail } from "./tail.ts";
import { tee } from "./tee.ts";
import { touch } from "./touch.ts";
import { wc } from "./wc.ts";

/** Every file command by its name. */
export const commandDefinitions: Readonly<Record<CommandName, CommandDefinition>> = Object.freeze({
  cp,
  mv,
  pwd,
  cat,
  head,
  tail,
  wc,
  tee,
  touch,
  mkdir,
  grep,
  rg,
  ls,
  diff,
  find,
  gio,
  rm,
});

import { noUserIo, type UserIo } from "./user-io.ts";

export function defaultUserIo(): UserIo {
  return noUserIo;
}

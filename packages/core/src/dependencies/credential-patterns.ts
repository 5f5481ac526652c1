const quote = `["']?`;
/** What stands between a name and its value, a quote around the name among it. */
const separator = String.raw`${quote}\s{0,20}[:=]\s{0,20}`;
/** How names of credentials end. A number of tokens is no secret. */
const credentialName = String.raw`(?:api[-_ ]?keys?|passwords?|passwd|pwd|passphrase|secrets?|token|tokens(?!${separator}\d{1,12}(?![\w.-]))|credentials?|private[-_ ]?key|access[-_]?key|signature)`;
/** One value of a list of settings, a query or an object: it ends before the name of the next. A variable's name is none. */
const word = String.raw`(?!\`[A-Z0-9]+(?:_[A-Z0-9]+)+\`)(?:(?!,\s{0,20}["']?[\w.-]{1,80}["']?\s{0,20}[:=])[^\s&;"'<>])+`;
/** Words that follow the name of a scheme in prose. */
const prose = String.raw`(?:auth|authentication|authorization|tokens?|credentials?|scheme|realm|challenge|header)\b`;

/**
 * Texts that give a credential away by what stands around them; the first group of a match is what is masked. None looks
 * at what comes after the group, except for the end of a URL's user, so that a text may be cut anywhere behind it.
 */
export const credentialPatterns: readonly RegExp[] = [
  // The user and password of a URL.
  /\/\/([^\s/?#"'<>]{1,2000})@/dg,
  // The value of a header by its scheme.
  new RegExp(String.raw`\b(?:bearer|basic)\s{1,20}(?!${prose})([^\s"',;<>]+)`, "dgi"),
  // Headers whose whole value is secret.
  new RegExp(String.raw`(?:authorization|cookies?)${separator}${quote}([^\r\n"'}]+)`, "dgi"),
  // A named value, in quotes or not.
  new RegExp(String.raw`${credentialName}${separator}"((?:[^"\\]|\\.)+)`, "dgis"),
  new RegExp(String.raw`${credentialName}${separator}'((?:[^'\\]|\\.)+)`, "dgis"),
  new RegExp(String.raw`${credentialName}${separator}(${word})`, "dgi"),
  // The same in a query, where the name may be short, and among the arguments of a program.
  /[?&](?:key|sig|auth|code)=([^\s&"'<>]+)/dgi,
  /(?<=^|\s)--?[\w-]{0,40}(?:password|passwd|passphrase|secret|token|api-?key)\s{1,20}([^\s"'<>-][^\s"'<>]*)/dgi,
  // A private key, and what known services make their keys look like.
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----([\s\S]+?)(?=-----END|$)/dg,
  /\b(sk-[\w-]{8,}|gh[a-z]_\w{16,}|github_pat_\w{16,}|xox[a-z]-[\w-]{8,}|AKIA[A-Z0-9]{12,}|AIza[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)/dg,
];

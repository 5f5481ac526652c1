import { base64url, counting, sealV2, type EntryV2, type HeaderV2 } from "./sealing.ts";
import { changeField, flip, numbered, refusal, respell, type Pair, type SecretVector } from "./vector.ts";

const password = "correct horse";
const salt = counting(0x00, 16);
const header: HeaderV2 = { password, salt };

function entry(
  name: string,
  value: string | Buffer,
  nonceFirst: number,
  rest: Partial<EntryV2> = {},
): EntryV2 {
  return { name, plain: Buffer.from(value), nonce: counting(nonceFirst, 12), ...rest };
}

function opens(
  id: string,
  why: string,
  values: readonly (readonly [name: string, value: string])[],
  change: Partial<HeaderV2> = {},
): SecretVector {
  const used = { ...header, ...change };
  const sealed = sealV2(
    used,
    values.map(([name, value], index) => entry(name, value, 0x20 + 0x10 * index)),
  );
  return {
    id,
    why,
    password: used.password,
    entries: values.map(([name], index): Pair => [`${name}_ENCRYPTED`, sealed[index] ?? ""]),
    expect: { values },
  };
}

const pem = "-----BEGIN KEY-----\nAAEC'\"\\n\\\\$HOME ${X}\n-----END KEY-----\n";

/** The vectors of format v2: first those that open, then those that are refused. */
export function v2Vectors(): SecretVector[] {
  const one = opens("v2-open-01", "one value", [["API_KEY", "sk-test-123"]]);
  const two = opens("v2-open-02", "two values of one file share salt, parameters and key check", [
    ["A", "first value"],
    ["B", "other value"],
  ]);
  return [
    one,
    two,
    opens("v2-open-03", "an empty value", [["EMPTY", ""]]),
    opens("v2-open-04", "lines, quotes, backslashes and dollar signs are plain characters", [["PEM", pem]]),
    opens("v2-open-05", "CR, LF and tabs are kept", [["LINES", "a\r\nb\rc\n\td\t"]]),
    opens("v2-open-06", "white space at both ends is kept", [["SPACED", "  a  "]]),
    opens("v2-open-07", "any character, a byte-order mark first", [
      ["TEXT", "\uFEFFé \u05D0 \u{1F511} e\u0301"],
    ]),
    opens("v2-open-08", "a value that only looks like the namespace", [["NEAR", "roboz v2"]]),
    opens("v2-open-09", "lengths one, two and three, which end base64 in three ways", [
      ["ONE", "1"],
      ["TWO", "22"],
      ["THREE", "333"],
    ]),
    opens("v2-open-10", "a long value", [["LONG", "0123456789abcdef".repeat(256)]]),
    opens("v2-open-11", "lower case and a leading underscore in a name", [["_lower_1", "x"]]),
    opens("v2-open-12", "a name that objects inherit is a name like any other", [["__proto__", "x"]]),
    opens("v2-open-13", "a password with é as one character", [["A", "x"]], { password: "caf\u00E9" }),
    opens("v2-open-14", "a password with é as two characters is another one", [["A", "x"]], {
      password: "cafe\u0301",
    }),
    opens("v2-open-15", "white space at both ends of a password is kept", [["A", "x"]], { password: " p " }),
    opens("v2-open-16", "a password of one character beyond 16 bits", [["A", "x"]], {
      password: "\u{1F511}",
    }),
    opens("v2-open-17", "the default cost", [["A", "x"]], { logN: 17 }),
    opens("v2-open-18", "a cost between floor and default", [["A", "x"]], { logN: 16 }),
    opens("v2-open-19", "the most passes", [["A", "x"]], { parallelism: 4 }),
    {
      id: "v2-open-20",
      why: "plain and bare entries pass through, order is kept",
      password,
      entries: [["Z", "plain"], ["BARE", null], ...one.entries, ["EMPTY", ""]],
      expect: {
        values: [
          ["Z", "plain"],
          ["BARE", null],
          ["API_KEY", "sk-test-123"],
          ["EMPTY", ""],
        ],
      },
    },
    {
      id: "v2-open-21",
      why: "entries of two files with one password, put together by hand",
      password,
      entries: [...one.entries, ...otherFile().entries],
      expect: {
        values: [
          ["API_KEY", "sk-test-123"],
          ["OTHER", "of another file"],
        ],
      },
    },
    {
      id: "v2-open-22",
      why: "no password where nothing is encrypted",
      password: null,
      entries: [["A", "x"]],
      expect: { values: [["A", "x"]] },
    },
    ...numbered("v2-refused", [
      ...refusedAsAWhole(one, two),
      ...refusedFields(one),
      ...refusedSealing(one),
      ...refusedNames(one),
    ]),
  ];
}

function otherFile(): SecretVector {
  return opens("", "", [["OTHER", "of another file"]], { salt: counting(0x80, 16) });
}

/** The first ciphertext of a vector. */
function textOf(vector: SecretVector): string {
  return vector.entries[0]?.[1] ?? "";
}

function refusedAsAWhole(one: SecretVector, two: SecretVector): Omit<SecretVector, "id">[] {
  const [a, b] = two.entries.map(([, value]) => value);
  if (typeof a !== "string" || typeof b !== "string") throw new Error("two entries are needed");
  return [
    refusal(one, "another password", { password: "correct house" }),
    refusal(one, "a password with a space at its end", { password: `${password} ` }),
    refusal(one, "no password", { password: null, code: "endpoints/secret-password" }),
    refusal(one, "an empty password", { password: "", code: "endpoints/secret-password" }),
    refusal(two, "two values swapped", {
      entries: [
        ["A_ENCRYPTED", b],
        ["B_ENCRYPTED", a],
      ],
    }),
    refusal(two, "a value renamed", {
      entries: [
        ["A_ENCRYPTED", a],
        ["C_ENCRYPTED", b],
      ],
    }),
    refusal(two, "a value copied to a second name", {
      entries: [...two.entries, ["C_ENCRYPTED", a]],
    }),
    refusal(two, "a name in another case", {
      entries: [
        ["a_ENCRYPTED", a],
        ["B_ENCRYPTED", b],
      ],
    }),
    refusal(two, "the last of two values cut short", {
      entries: [
        ["A_ENCRYPTED", a],
        ["B_ENCRYPTED", b.slice(0, -4)],
      ],
    }),
  ];
}

function refusedFields(one: SecretVector): Omit<SecretVector, "id">[] {
  const [name] = one.entries[0] ?? [""];
  const text = textOf(one);
  const fields = {
    version: 1,
    kdf: 2,
    logN: 3,
    blockSize: 4,
    parallelism: 5,
    salt: 6,
    check: 7,
    nonce: 8,
    sealed: 9,
  };
  const otherSalt = textOf(otherFile()).split(":").slice(fields.salt, fields.nonce);
  const changes: readonly (readonly [why: string, text: string])[] = [
    ["version 3", changeField(text, fields.version, () => "v3")],
    ["a version in upper case", changeField(text, fields.version, () => "V2")],
    ["a namespace in upper case", text.replace("roboz", "ROBOZ")],
    ["another key derivation", changeField(text, fields.kdf, () => "argon2id")],
    ["nothing after the version", "roboz:v2:"],
    ["a cost with a leading zero", changeField(text, fields.logN, () => "015")],
    ["a cost with a sign", changeField(text, fields.logN, () => "+15")],
    ["a cost in full-width digits", changeField(text, fields.logN, () => "\uFF11\uFF15")],
    ["a cost of 99", changeField(text, fields.logN, () => "99")],
    ["a block size of 0", changeField(text, fields.blockSize, () => "0")],
    ["a block size with a leading zero", changeField(text, fields.blockSize, () => "08")],
    ["no passes", changeField(text, fields.parallelism, () => "0")],
    ["passes with a leading zero", changeField(text, fields.parallelism, () => "01")],
    ["an edited cost within the limits", changeField(text, fields.logN, () => "16")],
    ["edited passes within the limits", changeField(text, fields.parallelism, () => "2")],
    ["a flipped bit in the salt", changeField(text, fields.salt, (part) => flip(part, 0))],
    ["a salt with stray bits", changeField(text, fields.salt, respell)],
    ["a salt with padding", changeField(text, fields.salt, (part) => `${part}==`)],
    [
      "a salt with a space inside",
      changeField(text, fields.salt, (part) => `${part.slice(0, 9)} ${part.slice(9)}`),
    ],
    ["a flipped bit in the key check", changeField(text, fields.check, (part) => flip(part, 5))],
    ["a key check with stray bits", changeField(text, fields.check, respell)],
    ["an empty key check", changeField(text, fields.check, () => "")],
    [
      "salt and key check of another file",
      changeField(
        changeField(text, fields.salt, () => otherSalt[0] ?? ""),
        fields.check,
        () => otherSalt[1] ?? "",
      ),
    ],
    ["a flipped bit in the nonce", changeField(text, fields.nonce, (part) => flip(part, 3))],
    ["a nonce cut by four characters", changeField(text, fields.nonce, (part) => part.slice(0, -4))],
    ["a flipped bit in the ciphertext", changeField(text, fields.sealed, (part) => flip(part, 0))],
    ["a flipped bit in the tag", changeField(text, fields.sealed, (part) => flip(part, -2))],
    ["a sealed part cut by one character", text.slice(0, -1)],
    ["a sealed part cut by four characters", text.slice(0, -4)],
    ["a sealed part shorter than its tag", changeField(text, fields.sealed, (part) => part.slice(0, 20))],
    ["an empty sealed part", changeField(text, fields.sealed, () => "")],
    [
      "a sealed part with a byte more",
      changeField(text, fields.sealed, (part) =>
        base64url(Buffer.concat([Buffer.from(part, "base64url"), Buffer.from([0])])),
      ),
    ],
    ["a sealed part in the other alphabet", changeField(text, fields.sealed, (part) => `+${part.slice(1)}`)],
    ["a field missing", text.split(":").slice(0, -1).join(":")],
    ["a field more", `${text}:AAAA`],
    [
      "a line end inside",
      changeField(text, fields.sealed, (part) => `${part.slice(0, 8)}\n${part.slice(8)}`),
    ],
    ["a line end at the end", `${text}\n`],
    ["a space at the end", `${text} `],
    ["a space at the start", ` ${text}`],
    ["a NUL at the end", `${text}\0`],
  ];
  return changes.map(([why, changed]) => refusal(one, why, { entries: [[name, changed]] }));
}

function refusedSealing(one: SecretVector): Omit<SecretVector, "id">[] {
  const [name] = one.entries[0] ?? [""];
  const right = entry("API_KEY", "sk-test-123", 0x20);
  const rightHeader = textOf(one).split(":").slice(0, 8).join(":");
  const sealings: readonly (readonly [why: string, header: HeaderV2, entry: EntryV2])[] = [
    ["rightly sealed at a cost below the floor", { ...header, logN: 14 }, right],
    ["rightly sealed at a cost above the ceiling", { ...header, logN: 19 }, right],
    ["rightly sealed with more passes than the ceiling", { ...header, parallelism: 5 }, right],
    ["rightly sealed with another block size", { ...header, blockSize: 16 }, right],
    ["rightly sealed with a salt of 15 bytes", { ...header, salt: counting(0, 15) }, right],
    ["rightly sealed with a salt of 17 bytes", { ...header, salt: counting(0, 17) }, right],
    ["rightly sealed with a nonce of 16 bytes", header, { ...right, nonce: counting(0x20, 16) }],
    ["a key check of zeros, bound as it stands", { ...header, check: Buffer.alloc(16) }, right],
    ["a name that is not bound", header, { ...right, associatedData: rightHeader }],
    ["parameters that are not bound", header, { ...right, associatedData: "\0API_KEY" }],
    ["the stored name bound in place of the base name", header, { ...right, name: "API_KEY_ENCRYPTED" }],
    ["a value that is not UTF-8", header, { ...right, plain: Buffer.from([0x61, 0xff, 0x62]) }],
    ["a value with a NUL", header, { ...right, plain: Buffer.from("a\0b") }],
  ];
  return sealings.map(([why, used, sealed]) => {
    const [text = ""] = sealV2(used, [sealed]);
    return refusal(one, why, { entries: [[name, text]] });
  });
}

function refusedNames(one: SecretVector): Omit<SecretVector, "id">[] {
  const text = textOf(one);
  const changes: readonly (readonly [why: string, entries: readonly Pair[], code: string])[] = [
    ["ciphertext under the plain name", [["API_KEY", text]], "endpoints/legacy-secret"],
    [
      "the name in plain and encrypted",
      [
        ["API_KEY", "x"],
        ["API_KEY_ENCRYPTED", text],
      ],
      "endpoints/secret-collision",
    ],
    [
      "the bare name beside the encrypted one",
      [
        ["API_KEY_ENCRYPTED", text],
        ["API_KEY", null],
      ],
      "endpoints/secret-collision",
    ],
    ["a bare encrypted name", [["API_KEY_ENCRYPTED", null]], "endpoints/invalid-secret"],
    ["a doubled suffix", [["API_KEY_ENCRYPTED_ENCRYPTED", text]], "endpoints/secret-name"],
    ["a suffix in lower case", [["API_KEY_encrypted", text]], "endpoints/secret-name"],
    ["the suffix alone", [["_ENCRYPTED", text]], "endpoints/secret-name"],
    ["a name with a dash", [["API-KEY_ENCRYPTED", text]], "endpoints/secret-name"],
    ["a name that begins with a digit", [["1API_KEY_ENCRYPTED", text]], "endpoints/secret-name"],
    ["an empty value", [["API_KEY_ENCRYPTED", ""]], "endpoints/invalid-secret"],
    ["a value that is no ciphertext", [["API_KEY_ENCRYPTED", "yes"]], "endpoints/invalid-secret"],
    ["a bad name among plain entries", [...one.entries, ["A-B", "x"]], "endpoints/secret-name"],
  ];
  return changes.map(([why, entries, code]) => refusal(one, why, { entries, code }));
}

import { counting, padded, sealV1, sealV2, type EntryV1 } from "./sealing.ts";
import { changeField, flip, numbered, refusal, respell, type Pair, type SecretVector } from "./vector.ts";

const password = "correct horse";
const reference: EntryV1 = {
  password,
  salt: counting(0x00, 16),
  plain: Buffer.from("sk-test-123"),
  iv: counting(0x20, 16),
  unixSeconds: 1_700_000_000,
};

async function opens(
  id: string,
  why: string,
  value: string,
  change: Partial<EntryV1> = {},
): Promise<SecretVector> {
  const sealed = { ...reference, plain: Buffer.from(value), ...change };
  return {
    id,
    why,
    password: sealed.password,
    entries: [["API_KEY_ENCRYPTED", await sealV1(sealed)]],
    expect: { values: [["API_KEY", value]] },
  };
}

/** The vectors of format v1: first those that open, then those that are refused. */
export async function v1Vectors(): Promise<SecretVector[]> {
  const one = await opens("v1-open-01", "the reference vector of the Python release", "sk-test-123");
  const second = await sealV1({ ...reference, salt: counting(0x40, 16), plain: Buffer.from("second") });
  const first = one.entries[0]?.[1] ?? "";
  const [v2 = ""] = sealV2({ password, salt: reference.salt }, [
    { name: "B", plain: Buffer.from("of format v2"), nonce: counting(0x20, 12) },
  ]);
  return [
    one,
    await opens("v1-open-02", "an empty value is one block of padding", ""),
    await opens("v1-open-03", "a value of one block has a block of padding", "0123456789abcdef"),
    await opens("v1-open-04", "lines, quotes and any character", "a\r\n'\"\\ \u{1F511} é"),
    await opens("v1-open-05", "no expiry: a time of zero", "x", { unixSeconds: 0 }),
    await opens("v1-open-06", "no expiry: a time far ahead", "x", { unixSeconds: 99_999_999_999 }),
    await opens("v1-open-07", "a password outside ASCII", "x", { password: "caf\u00E9 \u{1F511}" }),
    {
      id: "v1-open-08",
      why: "names are not bound: two swapped values open as swapped, a limit of this format",
      password,
      entries: [
        ["A_ENCRYPTED", second],
        ["B_ENCRYPTED", first],
      ],
      expect: {
        values: [
          ["A", "second"],
          ["B", "sk-test-123"],
        ],
      },
    },
    {
      id: "v1-open-09",
      why: "both formats side by side",
      password,
      entries: [
        ["A_ENCRYPTED", first],
        ["B_ENCRYPTED", v2],
        ["C", "plain"],
      ],
      expect: {
        values: [
          ["A", "sk-test-123"],
          ["B", "of format v2"],
          ["C", "plain"],
        ],
      },
    },
    ...numbered("v1-refused", [...refusedTexts(one, first), ...(await refusedSealing(one))]),
  ];
}

function refusedTexts(one: SecretVector, text: string): Omit<SecretVector, "id">[] {
  const fields = { version: 1, salt: 2, token: 3 };
  const token = text.split(":")[fields.token] ?? "";
  const withByte = (at: number): string => {
    const bytes = Buffer.from(token, "base64url");
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return changeField(text, fields.token, () => padded(bytes));
  };
  const changes: readonly (readonly [why: string, text: string])[] = [
    ["version 0", changeField(text, fields.version, () => "v0")],
    ["a version in upper case", changeField(text, fields.version, () => "V1")],
    ["a namespace in upper case", text.replace("roboz", "ROBOZ")],
    ["a flipped bit in the salt", changeField(text, fields.salt, (part) => flip(part, 0))],
    ["a salt with stray bits", changeField(text, fields.salt, respell)],
    ["a salt without padding", changeField(text, fields.salt, (part) => part.replaceAll("=", ""))],
    ["an empty salt", changeField(text, fields.salt, () => "")],
    ["a flipped bit in the version of the token", withByte(0)],
    ["a flipped bit in the time", withByte(8)],
    ["a flipped bit in the IV", withByte(9)],
    ["a flipped bit in the ciphertext", withByte(25)],
    ["a flipped bit in the MAC", withByte(72)],
    ["a token with stray bits", changeField(text, fields.token, respell)],
    ["a token without padding", text.replace(/=+$/, "")],
    ["a token with more padding", `${text}=`],
    ["a token in the other alphabet", text.replaceAll("_", "/")],
    ["a token cut by four characters", changeField(text, fields.token, (part) => part.slice(0, -4))],
    ["an empty token", changeField(text, fields.token, () => "")],
    ["no token", text.split(":").slice(0, fields.token).join(":")],
    ["a field more", `${text}:AAAA`],
    ["a space inside", changeField(text, fields.token, (part) => `${part.slice(0, 8)} ${part.slice(8)}`)],
    ["a line end at the end", `${text}\n`],
  ];
  return [
    refusal(one, "another password", { password: "correct house" }),
    ...changes.map(([why, changed]) =>
      refusal(one, why, {
        entries: [["API_KEY_ENCRYPTED", changed]],
      }),
    ),
    refusal(one, "ciphertext under a name of the scheme before 0.11", {
      entries: [["API_KEY_SECRET", text]],
      code: "endpoints/legacy-secret",
    }),
  ];
}

async function refusedSealing(one: SecretVector): Promise<Omit<SecretVector, "id">[]> {
  const sealings: readonly (readonly [why: string, change: Partial<EntryV1>])[] = [
    ["rightly sealed with a salt of 15 bytes", { salt: counting(0, 15) }],
    ["rightly sealed with a salt of 17 bytes", { salt: counting(0, 17) }],
    ["a token of version 0x81, rightly signed", { version: 0x81 }],
    ["wrong padding, rightly signed", { plain: Buffer.from("0123456789abcde\x02"), isPadded: false }],
    ["no ciphertext at all, rightly signed", { plain: Buffer.alloc(0), isPadded: false }],
    ["a value that is not UTF-8", { plain: Buffer.from([0x61, 0xff, 0x62]) }],
    ["a value with a NUL", { plain: Buffer.from("a\0b") }],
  ];
  return Promise.all(
    sealings.map(async ([why, change]) => {
      const entries: Pair[] = [["API_KEY_ENCRYPTED", await sealV1({ ...reference, ...change })]];
      return refusal(one, why, { entries });
    }),
  );
}

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

const credentialName =
  /(?:^|_)(?:SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|TOKEN)$/;

/** The values of variables that are named like credentials, or whose encrypted companion stands beside them. */
export function environmentSecrets(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const isSecret =
      credentialName.test(name.toUpperCase()) || environment[`${name}_ENCRYPTED`] !== undefined;
    return isSecret ? [value] : [];
  });
}

/**
 * Reasons by error code: SQLite's primary result codes (https://sqlite.org/rescode.html), system errors, PostgreSQL's
 * codes and connection errors.
 */
const REASONS: Readonly<Record<string, string>> = {
  8: 'this account can read but not write it. Give the account the right to write the file and its folder',
  10: 'reading or writing it failed. Check the disk',
  11: 'it is damaged. Replace it with a backup',
  13: 'the disk is full. Free some space',
  14: 'this account cannot open or create it. Give the account the right to read and write the file and its folder, and check that the path names a file',
  26: 'it is not a SQLite database. Move it away, or correct the config key database',
  EACCES: 'this account cannot create its folder. Create it, and give the account the right to write there',
  EPERM: 'this account cannot create its folder. Create it, and give the account the right to write there',
  EROFS: 'its folder is on a read-only disk. Choose another path in the config key database',
  ENOSPC: 'the disk is full. Free some space',
  ENOTDIR: 'a part of its path is a file, not a folder. Correct the config key database',
  EEXIST: 'a part of its path is a file, not a folder. Correct the config key database',
  '28000': 'the server refused the login. Correct user and password in the config key database',
  '28P01': 'the server refused the login. Correct user and password in the config key database',
  '3D000': 'the server has no database of this name. Create one with createdb, or correct the config key database',
  '42501': 'its user is not allowed to create tables. Make the user the owner of the database',
  '57P03': 'the server is starting or stopping. Try again in a moment',
  '53300': 'the server has no free connection. Raise its max_connections, or stop other programs',
  ECONNREFUSED: 'no server responds there (ECONNREFUSED). Start it, or correct the config key database',
  ECONNRESET: 'the server ended the connection (ECONNRESET). Check its log',
  ENOTFOUND: 'no host has this name (ENOTFOUND). Correct the config key database',
  EAI_AGAIN: 'the host name cannot be resolved now (EAI_AGAIN). Check the network',
  EHOSTUNREACH: 'the host cannot be reached (EHOSTUNREACH). Check the network',
  ETIMEDOUT: 'the server does not respond (ETIMEDOUT). Start it, or correct the config key database',
  ERR_INVALID_URL: 'its URL is invalid. Write it as postgres://user:password@host:5432/name',
}

/** Returns why a database cannot be opened and what to do, by the code of the error or of its cause. */
export function openFailureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const reason = knownReason(error) ?? knownReason(error.cause)
  return reason ?? (error.message.replace(/\.$/, '') || error.name)
}

function knownReason(error: unknown): string | undefined {
  // Node tries each IP address of a host; the first error is enough.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { errcode, code } = (one ?? {}) as { errcode?: number; code?: string }
  return REASONS[errcode === undefined ? String(code) : String(errcode % 256)]
}

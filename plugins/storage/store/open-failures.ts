/** Primary result codes of SQLite (https://sqlite.org/rescode.html), errors of the system, codes of PostgreSQL and of connections. */
const REASONS: Readonly<Record<string, string>> = {
  8: 'it may be read but not written by this account. Give the account the right to write the file and its folder',
  10: 'reading or writing it failed. Look at the disk that it is on',
  11: 'it is damaged. Put a backup in its place',
  13: 'the disk is full. Make room on it',
  14: 'this account may not open or make it. Give the account the right to read and write the file and its folder, and see that the path names a file',
  26: 'it is no SQLite database. Move it away, or correct the config key database',
  EACCES: 'this account may not make its folder. Make it, and give the account the right to write there',
  EPERM: 'this account may not make its folder. Make it, and give the account the right to write there',
  EROFS: 'its folder is on a disk that can only be read. Choose another place by the config key database',
  ENOSPC: 'the disk is full. Make room on it',
  ENOTDIR: 'a part of its path is a file, not a folder. Correct the config key database',
  EEXIST: 'a part of its path is a file, not a folder. Correct the config key database',
  '28000': 'the server does not let this user in. Correct user and password in the config key database',
  '28P01': 'the server does not let this user in. Correct user and password in the config key database',
  '3D000': 'the server has no database of this name. Make one with createdb, or correct the config key database',
  '42501': 'its user may not make tables. Give the user the rights of the owner of the database',
  '57P03': 'the server is starting or stopping. Try again in a moment',
  '53300': 'the server has no connection left. Raise its max_connections, or end other programs',
  ECONNREFUSED: 'no server answers there (ECONNREFUSED). Start it, or correct the config key database',
  ECONNRESET: 'the server ended the connection (ECONNRESET). Look at its log',
  ENOTFOUND: 'no machine has this name (ENOTFOUND). Correct the config key database',
  EAI_AGAIN: 'the name of the machine cannot be looked up now (EAI_AGAIN). Look at the network',
  EHOSTUNREACH: 'the machine cannot be reached (EHOSTUNREACH). Look at the network',
  ETIMEDOUT: 'the server does not answer (ETIMEDOUT). Start it, or correct the config key database',
  ERR_INVALID_URL: 'its URL cannot be read. Write it as postgres://user:password@host:5432/name',
}

/** Why a database cannot be opened and what to do, by the code of the error or of what is behind it. */
export function openFailureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const known = knownReason(error) ?? knownReason(error.cause)
  return known ?? (error.message.replace(/\.$/, '') || error.name)
}

function knownReason(error: unknown): string | undefined {
  // One error for each IP address of a host that was tried.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { errcode, code } = (one ?? {}) as { errcode?: number; code?: string }
  return REASONS[errcode === undefined ? String(code) : String(errcode % 256)]
}

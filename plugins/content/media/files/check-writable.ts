import { mkdtemp, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errors } from '../errors.ts'
import { errorCode } from './place-file.ts'

const REASONS: Readonly<Record<string, (folder: string) => string>> = {
  EACCES: (folder) => `the server has no permission to write to ${folder}`,
  EPERM: (folder) => `the server has no permission to write to ${folder}`,
  EROFS: (folder) => `${folder} is on a read-only file system`,
  ENOSPC: (folder) => `the disk of ${folder} is full`,
  ENOTDIR: (folder) => `${folder} is not a folder`,
}

/** Checks that a folder is writable or can be created, by creating a temporary folder. @throws UPLOADS_NOT_WRITABLE */
export async function checkWritable(folder: string): Promise<void> {
  for (let existing = folder; ; existing = dirname(existing)) {
    try {
      return await rmdir(await mkdtemp(join(existing, '.svc-writable-')))
    } catch (cause) {
      const code = errorCode(cause)
      if (code === 'ENOENT' && existing !== dirname(existing)) continue
      const reason = REASONS[code]
      throw reason === undefined ? cause : errors.UPLOADS_NOT_WRITABLE(folder, reason(existing), { cause })
    }
  }
}

import { mkdtemp, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errors } from '../errors.ts'

/**
 * Looks whether files can be kept in a folder, or whether it can be made, by making something there.
 * @throws UPLOADS_NOT_WRITABLE
 */
export async function checkWritable(folder: string): Promise<void> {
  for (let there = folder; ; there = dirname(there)) {
    try {
      return await rmdir(await mkdtemp(join(there, '.svc-writable-')))
    } catch (cause) {
      const { code = '' } = cause as NodeJS.ErrnoException
      if (code === 'ENOENT' && there !== dirname(there)) continue
      const why = REASONS[code]
      throw why === undefined ? cause : errors.UPLOADS_NOT_WRITABLE(folder, why.replace('{}', there), { cause })
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this account may not write {}',
  EPERM: 'this account may not write {}',
  EROFS: '{} is on a disk that can only be read',
  ENOSPC: 'the disk of {} is full',
  ENOTDIR: '{} is not a folder',
}

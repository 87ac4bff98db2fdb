import { mkdir } from 'node:fs/promises'
import type { SiteConfig } from '../../../../kernel/index.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../../storage/store/index.ts'

/** Permissions of new files and folders in the uploads folder. */
export interface FileModes {
  folder: number
  file: number
}

const SHARED: FileModes = { folder: 0o755, file: 0o644 }
const PRIVATE: FileModes = { folder: PRIVATE_FOLDER, file: PRIVATE_FILE }

/** Returns the permissions for the config of a site. */
export function fileModes({ share_uploads: shared }: Pick<SiteConfig, 'share_uploads'>): FileModes {
  return shared ? SHARED : PRIVATE
}

/** Creates a folder and its missing parents. */
export async function makeFolder(folder: string, { folder: mode }: FileModes): Promise<void> {
  await mkdir(folder, { recursive: true, mode })
}

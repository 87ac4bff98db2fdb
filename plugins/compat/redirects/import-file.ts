import type { RestRequest } from '../../public.ts'
import { errors } from './errors.ts'
import { readRedirect, type NewRedirect } from './fields.ts'
import { readExport, type ImportedFile } from './imports.ts'
import type { Repository } from './repository.ts'
import type { SourceFlags } from './types.ts'

/** Maximum size of an imported file, in bytes. */
const MAX_FILE_BYTES = 20_000_000

/**
 * Imports the redirects of a file.
 * @param groupId group of redirects whose group the file does not contain
 * @returns the number of imported redirects
 * @throws redirect_import_invalid_file
 */
export async function importFile(
  repository: Repository,
  file: RestRequest['files'][number],
  groupId: number,
  defaults: SourceFlags,
): Promise<number> {
  if (file.size > MAX_FILE_BYTES) throw errors.redirect_import_invalid_file()
  const read = readExport(file.filename.toLowerCase(), (await file.read()).toString('utf8'))
  if (read === null) throw errors.redirect_import_invalid_file()
  return importRedirects(repository, read, groupId, defaults)
}

/** Adds redirects and missing groups of an export. Redirects that are malformed are skipped. */
export async function importRedirects(
  repository: Repository,
  { groups, redirects }: ImportedFile,
  groupId: number,
  defaults: SourceFlags,
): Promise<number> {
  const known = await repository.rules()
  const ids = new Map<number, number>()
  for (const group of groups) {
    const existing = known.groups.find(
      ({ name, module_id: module }) => name === group.name && module === group.module_id,
    )
    if (redirects.some((redirect) => redirect.groupId === group.id))
      ids.set(group.id, existing?.id ?? (await repository.addGroup(group)))
  }
  const counts = new Map<number, number>()
  for (const { group_id: group } of known.items) counts.set(group, (counts.get(group) ?? 0) + 1)
  const added: NewRedirect[] = []
  for (const { fields, groupId: wanted } of redirects) {
    const group = ids.get(wanted ?? 0) ?? groupId
    const position = counts.get(group) ?? 0
    try {
      added.push(readRedirect({ ...fields, group_id: group }, defaults, position))
      counts.set(group, position + 1)
    } catch {
      // Not a redirect.
    }
  }
  await repository.add(added)
  return added.length
}

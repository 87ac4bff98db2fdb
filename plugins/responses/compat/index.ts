import type { AnyPlugin } from '../../../kernel/index.ts'
import { hasSince, REVISIONS, type RevisionChanges, type Revision } from '../../library/site-config/index.ts'
import addresses from './old-addresses.ts'
import { oldArguments } from './old-arguments.ts'
import cors from './old-cors.ts'
import embed from './old-embed.ts'
import fields from './old-fields.ts'
import registeredFields from './no-registered-fields.ts'
import requests from './old-requests.ts'

/**
 * Returns the differences of each revision of the REST API from the latest one (specification 9), as plugins that
 * replace defaults. The config can override them.
 */
export function revisionsOf(defaults: readonly AnyPlugin[]): Readonly<Record<Revision, RevisionChanges>> {
  const own = new Set(defaults.map(({ name }) => name))
  const before54 = {
    embed: { use: embed },
    'old-arguments': { use: oldArguments({ emptyObjects: true }, own) },
  } satisfies RevisionChanges
  const before53 = {
    ...before54,
    'fields-parameter': { use: fields },
    'old-arguments': { use: oldArguments({ emptyObjects: true, types: true }, own) },
    'old-requests': { use: requests },
  } satisfies RevisionChanges
  const before50 = { ...before53, search: false, preload: false } satisfies RevisionChanges
  const before48 = {
    ...before50,
    'fields-parameter': false,
    'old-arguments': { use: oldArguments({ emptyObjects: true, types: true, ipNames: true }, own) },
  } satisfies RevisionChanges
  const before47 = {
    ...before48,
    cors: { use: cors },
    deprecation: { options: { always: true } },
    'extra-fields': { use: registeredFields },
    'old-addresses': { use: addresses },
    'old-arguments': { use: oldArguments({ schemas: true }, own) },
  } satisfies RevisionChanges
  const differences: Partial<Record<Revision, RevisionChanges>> = {
    '4.4': before47,
    '4.7': before48,
    '4.8': before50,
    '5.0': before53,
    '5.3': before54,
  }
  const withoutNewer = (revision: Revision): RevisionChanges => {
    const newer = defaults.filter(({ since }) => since !== undefined && !hasSince(revision, since))
    return { ...Object.fromEntries(newer.map(({ name }) => [name, false] as const)), ...differences[revision] }
  }
  return Object.fromEntries(REVISIONS.map((revision) => [revision, withoutNewer(revision)])) as Record<
    Revision,
    RevisionChanges
  >
}

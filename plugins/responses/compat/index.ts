import { hasSince, REVISIONS, type AnyPlugin, type Preset, type Revision } from '../../../kernel/index.ts'
import addresses from './addresses.ts'
import { oldArguments } from './arguments.ts'
import cors from './cors.ts'
import embed from './embed.ts'
import fields from './fields.ts'
import registeredFields from './registered-fields.ts'
import requests from './requests.ts'

/**
 * What each revision of the REST API differs in from the latest (specification 9), as plugins in the place of the
 * defaults; the config has the last word.
 */
export function presetsOf(defaults: readonly AnyPlugin[]): Readonly<Record<Revision, Preset>> {
  const own = new Set(defaults.map(({ name }) => name))
  const before54 = {
    embed: { use: embed },
    'old-arguments': { use: oldArguments({ emptyObjects: true }, own) },
  } satisfies Preset
  const before53 = {
    ...before54,
    fields: { use: fields },
    'old-arguments': { use: oldArguments({ emptyObjects: true, types: true }, own) },
    'old-requests': { use: requests },
  } satisfies Preset
  const before50 = { ...before53, search: false, preload: false } satisfies Preset
  const before48 = {
    ...before50,
    fields: false,
    'old-arguments': { use: oldArguments({ emptyObjects: true, types: true, ipNames: true }, own) },
  } satisfies Preset
  const before47 = {
    ...before48,
    cors: { use: cors },
    deprecation: { options: { always: true } },
    'extra-fields': { use: registeredFields },
    'old-addresses': { use: addresses },
    'old-arguments': { use: oldArguments({ schemas: true }, own) },
  } satisfies Preset
  const differences: Partial<Record<Revision, Preset>> = {
    '4.4': before47,
    '4.7': before48,
    '4.8': before50,
    '5.0': before53,
    '5.3': before54,
  }
  const withoutNewer = (revision: Revision): Preset => {
    const newer = defaults.filter(({ since }) => since !== undefined && !hasSince(revision, since))
    return { ...Object.fromEntries(newer.map(({ name }) => [name, false] as const)), ...differences[revision] }
  }
  return Object.fromEntries(REVISIONS.map((revision) => [revision, withoutNewer(revision)])) as Record<Revision, Preset>
}

import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import { wholeChange, type Change, type ChangeReader, type SeenSides } from '../../storage/changes/index.ts'
import { EVERYTHING } from '../../storage/store/index.ts'
import { objectOf, SECRET_KINDS } from './kinds.ts'
import type { SeenChange, SeenChanges } from './seen-change.ts'

/** Tags of internal changes, which clients never see. */
const HOUSEKEEPING: ReadonlySet<string> = new Set(['jobs'])
const HIDDEN_SIDES: SeenSides = { before: null, after: null, tags: [] }

/** Filters changes for a user by the registered readers of their kinds. */
export class ReadChanges implements SeenChanges {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  async seenBy(user: CurrentUser, changes: readonly Change[]): Promise<SeenChange[]> {
    const byReader = Map.groupBy(changes, (change) => this.#readerOf(change))
    const sides = new Map<Change, SeenSides>()
    const read = async (reader: ChangeReader, some: readonly Change[]) => {
      const found = await reader.read(user, some)
      for (const [index, change] of some.entries()) sides.set(change, found[index] ?? HIDDEN_SIDES)
    }
    await Promise.all(Array.from(byReader, async ([reader, some]) => reader && read(reader, some)))
    return changes.flatMap((change) => seenOf(change, sides.get(change) ?? HIDDEN_SIDES))
  }

  /** The reader of a change; null for a change that no user sees. */
  #readerOf({ kind, object, type, tags }: Change): ChangeReader | null {
    if (SECRET_KINDS.has(kind) || tags.every((tag) => HOUSEKEEPING.has(tag))) return null
    if (kind === 'all') return FOR_ALL
    if (kind === 'tag') return this.#forTags
    const { changeReaders } = this.#services
    const isNamed = kind === 'table' || kind === 'option'
    const own = changeReaders.get(`${kind}:${isNamed ? object : type}`) ?? changeReaders.get(kind)
    return own ?? (isNamed ? this.#forManagers : null)
  }

  /** Names of options and tables are visible to users who manage the site. */
  readonly #forManagers: ChangeReader = {
    read: (user, changes) => {
      const may = this.#services.capabilities.can(user, 'manage_options')
      return changes.map(({ change, tags }) => (may ? wholeChange(change, tags) : HIDDEN_SIDES))
    },
  }

  /** Touched tags: users who manage the site see all of them, other users those whose first word has a reader. */
  readonly #forTags: ChangeReader = {
    read: async (user, changes) => {
      const { capabilities, changeReaders } = this.#services
      const may = capabilities.can(user, 'manage_options')
      const isSeen = async (tag: string, change: Change): Promise<boolean> => {
        if (HOUSEKEEPING.has(tag)) return false
        if (may) return true
        const reader = changeReaders.get(`tag:${tag.split(':', 1)[0]}`)
        const [sides] = (await reader?.read(user, [{ ...change, tags: [tag] }])) ?? []
        return sides?.tags.includes(tag) === true
      }
      return Promise.all(
        changes.map(async (change) => {
          const seen = await Promise.all(change.tags.map((tag) => isSeen(tag, change)))
          const tags = change.tags.filter((_, at) => seen[at])
          return tags.length === 0 ? HIDDEN_SIDES : wholeChange(change.change, tags)
        }),
      )
    },
  }
}

const FOR_ALL: ChangeReader = {
  read: (_, changes) => changes.map(() => ({ before: {}, after: {}, tags: [EVERYTHING] })),
}

function seenOf({ id, time, kind, object }: Change, { before, after, tags }: SeenSides): SeenChange[] {
  const latest = after ?? before
  if (latest === null) return []
  const change = before === null ? 'create' : after === null ? 'delete' : 'update'
  const { type = '', slug } = latest
  return [
    {
      id,
      time,
      kind,
      object: objectOf({ kind, object }),
      type,
      change,
      ...(after?.status !== undefined && { status: after.status }),
      ...(before?.status !== undefined && { previous_status: before.status }),
      ...(slug !== undefined && { slug }),
      tags,
    },
  ]
}

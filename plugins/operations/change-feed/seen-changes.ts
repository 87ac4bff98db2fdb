import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import type { Change, ChangeReader, SeenSides } from '../../storage/changes/index.ts'
import { EVERYTHING } from '../../storage/store/index.ts'
import { objectOf, SECRET_KINDS } from './kinds.ts'
import type { SeenChange, SeenChanges } from './seen-change.ts'

/** Tags that tell of the work of the site itself, and of nothing that is shown. */
const HOUSEKEEPING: ReadonlySet<string> = new Set(['jobs'])
const UNSEEN: SeenSides = { before: null, after: null, tags: [] }

/** Asks those who know what users may know of changes of their kind. */
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
      for (const [index, change] of some.entries()) sides.set(change, found[index] ?? UNSEEN)
    }
    await Promise.all(Array.from(byReader, async ([reader, some]) => reader && read(reader, some)))
    return changes.flatMap((change) => seenOf(change, sides.get(change) ?? UNSEEN))
  }

  /** Who says what users may know of a change; null where nobody is told. */
  #readerOf({ kind, object, tags }: Change): ChangeReader | null {
    if (SECRET_KINDS.has(kind) || tags.every((tag) => HOUSEKEEPING.has(tag))) return null
    if (kind === 'all') return FOR_ALL
    const { changeReaders } = this.#services
    const own = kind === 'table' ? changeReaders.get(`table:${object}`) : changeReaders.get(kind)
    if (own !== undefined) return own
    return kind === 'table' || kind === 'tag' || kind === 'option' ? this.#forManagers : null
  }

  /** Names of options and tables, and what plugins say by tags, are for who manages the site. */
  readonly #forManagers: ChangeReader = {
    read: (user, changes) => {
      const may = this.#services.capabilities.can(user, 'manage_options')
      return changes.map((change) => (may ? whole(change) : UNSEEN))
    },
  }
}

const FOR_ALL: ChangeReader = {
  read: (_, changes) => changes.map(() => ({ before: {}, after: {}, tags: [EVERYTHING] })),
}

/** All that there is to know of a change without facts. */
function whole({ change, tags }: Change): SeenSides {
  const before = change === 'create' ? null : {}
  const after = change === 'delete' ? null : {}
  return { before, after, tags: tags.filter((tag) => !HOUSEKEEPING.has(tag)) }
}

function seenOf({ id, time, kind, object }: Change, { before, after, tags }: SeenSides): SeenChange[] {
  const known = after ?? before
  if (known === null) return []
  const change = before === null ? 'create' : after === null ? 'delete' : 'update'
  const { type = '', slug } = known
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

import { LRUCache } from 'lru-cache'
import { runDetached } from '../../../kernel/index.ts'
import { lazily } from '../../library/long-work/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { ApplicationPassword } from './model.ts'

/** Minimum seconds between two recorded uses of a password. */
const NOTE_INTERVAL_SECONDS = 60
/** Milliseconds for which uses are collected before they are written together. */
const GATHER_INTERVAL_MS = 1000
/** Maximum number of remembered passwords. */
const MAX_REMEMBERED_PASSWORDS = 10_000

/** A use that is not written yet. */
interface Use {
  readonly lastUsed: number
  readonly lastIp: string
}

/** Records when and from where application passwords are used, without a write in each request. */
export class Usage {
  readonly #store: Store
  readonly #onFailure: (error: unknown) => void
  /** Created at its first use: it allocates memory for all passwords. */
  readonly #noted = lazily(() => new LRUCache<number, number>({ max: MAX_REMEMBERED_PASSWORDS }))
  #pending = new Map<number, Use>()
  #timer: NodeJS.Timeout | undefined

  /** @param onFailure called if uses could not be written; they are lost */
  constructor(store: Store, onFailure: (error: unknown) => void) {
    this.#store = store
    this.#onFailure = onFailure
  }

  /** Records a use. Written a moment later, at most once a minute per password. */
  note({ id, lastUsed, ip }: { id: number; lastUsed: number | null; ip: string }): void {
    const at = seconds()
    if (at - (this.#noted().get(id) ?? lastUsed ?? 0) < NOTE_INTERVAL_SECONDS) return
    this.#noted().set(id, at)
    this.#pending.set(id, { lastUsed: at, lastIp: ip })
    this.#timer ??= runDetached(() =>
      setTimeout(() => void this.flush().catch(this.#onFailure), GATHER_INTERVAL_MS).unref(),
    )
  }

  /** Returns an application password with its unwritten use, so that a program sees its first use immediately. */
  seen<T extends Pick<ApplicationPassword, 'id'>>(item: T): T {
    return { ...item, ...this.#pending.get(item.id) }
  }

  /** Writes the recorded uses. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.size === 0) return
    const uses = this.#pending
    this.#pending = new Map()
    // In turn, so that it cannot deadlock with a deletion of these passwords.
    await this.#store.inTurn(async (tx) => {
      for (const [id, { lastUsed: at, lastIp: ip }] of uses) {
        await tx.run(
          tx.db
            .updateTable('application_passwords')
            .set({ last_used: at, last_ip: ip })
            .where('id', '=', id)
            // Another process may have just written a use.
            .where((of) => of.or([of('last_used', 'is', null), of('last_used', '<=', at - NOTE_INTERVAL_SECONDS)])),
        )
      }
    })
  }
}

const seconds = () => Math.floor(Date.now() / 1000)

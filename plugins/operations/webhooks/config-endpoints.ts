import type { Endpoint, EndpointChange, Endpoints } from './endpoints.ts'
import { errors } from './errors.ts'
import { checkedUrl, urlFault } from './input.ts'
import { secretFault, type Secret } from './signature.ts'

/** A webhook defined in the config. */
export interface ConfigWebhook {
  readonly url: string
  /** `whsec_…`; receivers verify the signature with it. */
  readonly secret: string
  /** The previous secret, which keeps signing as long as it is set here. */
  readonly old_secret?: string
  readonly kinds?: readonly string[]
  readonly types?: readonly string[]
  readonly unpublished?: boolean
}

/** The webhooks of the config. The database stores everything but their secrets. */
export class ConfigEndpoints {
  readonly #webhooks: ReadonlyMap<string, ConfigWebhook>
  #ensured: Promise<void> | null = null
  #endpoints!: Endpoints

  /** @throws WEBHOOK_CONFIG_INVALID */
  constructor(webhooks: Readonly<Record<string, ConfigWebhook>>) {
    this.#webhooks = new Map(Object.entries(webhooks))
    for (const [name, webhook] of this.#webhooks) {
      const fault = faultOf(webhook)
      if (fault !== null) throw errors.WEBHOOK_CONFIG_INVALID(name, fault)
    }
  }

  /** Sets the repository that stores the webhooks. */
  storeIn(endpoints: Endpoints): void {
    this.#endpoints = endpoints
  }

  /** The secrets of a webhook by its name. */
  secretsOf(name: string): Secret[] {
    const { secret, old_secret: old } = this.#webhooks.get(name) ?? {}
    return [secret, old].flatMap((one) => (one === undefined ? [] : [{ secret: one, until: null }]))
  }

  /** Updates the database to the webhooks of the config, and removes webhooks of a previous config. */
  ensure(): Promise<void> {
    this.#ensured ??= this.#ensure().catch((error: unknown) => {
      this.#ensured = null
      throw error
    })
    return this.#ensured
  }

  async #ensure(): Promise<void> {
    if (this.#tasks(await this.#endpoints.all()).length === 0) return
    await this.#endpoints.change(async () => {
      for (const task of this.#tasks(await this.#endpoints.all())) await task()
    })
  }

  /** The writes needed to bring the database up to date. */
  #tasks(all: readonly Endpoint[]): (() => Promise<unknown>)[] {
    const endpoints = this.#endpoints
    const stored = new Map(all.filter(({ source }) => source === 'config').map((one) => [one.name, one]))
    const removed = [...stored.values()].filter(({ name }) => !this.#webhooks.has(name))
    const changes = [...this.#webhooks].flatMap(([name, webhook]) => {
      const row = rowOf(webhook)
      const before = stored.get(name)
      if (before === undefined) return [() => this.#insert(name, row)]
      const reset = before.url === row.url ? {} : { paused_until: 0, failing_since: 0 }
      return isSame(before, row) ? [] : [() => endpoints.update(before.id, { ...row, ...reset })]
    })
    return [
      ...removed.map(
        ({ id }) =>
          () =>
            endpoints.remove(id),
      ),
      ...changes,
    ]
  }

  async #insert(name: string, row: ConfigRow): Promise<void> {
    const since = await this.#endpoints.newestChange()
    await this.#endpoints.insert({ ...row, name, source: 'config', since })
  }
}

type ConfigRow = Required<Pick<EndpointChange, 'url' | 'kinds' | 'types' | 'unpublished'>>

function rowOf({ url, kinds = [], types = [], unpublished = false }: ConfigWebhook): ConfigRow {
  return {
    url: checkedUrl(url),
    kinds: JSON.stringify(kinds),
    types: JSON.stringify(types),
    unpublished: unpublished ? 1 : 0,
  }
}

function isSame({ url, kinds, types, unpublished }: Endpoint, row: ConfigRow): boolean {
  const is = { url, kinds: JSON.stringify(kinds), types: JSON.stringify(types), unpublished: unpublished ? 1 : 0 }
  return JSON.stringify(is) === JSON.stringify(row)
}

function faultOf({ url, secret, old_secret: old }: ConfigWebhook): string | null {
  const fault = urlFault(url)
  if (fault !== null) return `its url ${fault}`
  const secretProblem = [secret, old]
    .map((one) => (one === undefined ? null : secretFault(one)))
    .find((fault) => fault !== null)
  return secretProblem === undefined ? null : `its secret ${secretProblem}.`
}

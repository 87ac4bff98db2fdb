import { randomUUID } from 'node:crypto'
import { isObject, applyFilter, VISITOR, withinSeconds, type PluginContext } from '../../../kernel/index.ts'
import { EVERYTHING, type Change } from '../../storage/store/index.ts'
import { matchesFilter, objectOf, SECRET_KINDS, type SeenChange } from '../change-feed/index.ts'
import { shownOf, WEBHOOKS_TAG, type Endpoint } from './endpoints.ts'
import type { Planned } from './delivery-sql.ts'
import type { WebhookMessage } from './webhook.ts'

/** Kinds of changes that hold only names and tags, and are sent without a visibility check. */
const PLAIN_KINDS = new Set(['option', 'table', 'tag'])
/** Tags of internal changes. */
const HOUSEKEEPING = new Set(['jobs', WEBHOOKS_TAG])
/** Seconds that the taps of a message may take, and the number of messages that are filtered concurrently. */
const TAP_SECONDS = 5
const MAX_CONCURRENT_TAPS = 20
/** Maximum length of a message in characters, and the syntax of its type (Standard Webhooks). */
const MAX_MESSAGE_LENGTH = 1_000_000
const TYPE = /^[\w.-]{1,100}$/
const VERBS = { create: 'created', update: 'updated', delete: 'deleted' } as const

/** Creates messages from changes. */
export class Messages {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** The deliveries of changes for webhooks, in the order of the changes. */
  async of(changes: readonly Change[], endpoints: readonly Endpoint[]): Promise<Planned[]> {
    const sent = changes.filter(isSent)
    const plain = new Map(sent.flatMap((change) => seenEntry(change, plainOf(change))))
    const seen = new Map<number, SeenChange>()
    const asVisitors = endpoints.filter(({ unpublished }) => !unpublished)
    const forVisitors = sent.filter((change) => asVisitors.some((endpoint) => isSubscribed(endpoint, change)))
    const ofContent = forVisitors.filter(({ kind }) => !PLAIN_KINDS.has(kind))
    if (ofContent.length > 0) {
      const { changeFeed: seenChanges } = this.#plugin.services
      for (const change of ofContent) for (const one of deletedUserOf(change)) seen.set(one.id, one)
      for (const one of await seenChanges.seenBy(VISITOR, ofContent)) seen.set(one.id, one)
    }
    const creators = sent.flatMap((change) =>
      endpoints.flatMap((endpoint) => {
        if (!isSubscribed(endpoint, change)) return []
        const isPlain = endpoint.unpublished || PLAIN_KINDS.has(change.kind)
        const shown = (isPlain ? plain : seen).get(change.id)
        return shown === undefined ? [] : [() => this.#deliveryOf(endpoint, change, messageOf(shown))]
      }),
    )
    const planned: (Planned | null)[] = []
    for (let from = 0; from < creators.length; from += MAX_CONCURRENT_TAPS) {
      planned.push(...(await Promise.all(creators.slice(from, from + MAX_CONCURRENT_TAPS).map((create) => create()))))
    }
    return planned.filter((one) => one !== null)
  }

  /** Deliveries that notify webhooks that anything may have changed. */
  ofEverything(endpoints: readonly Endpoint[], change: number): Planned[] {
    const message = messageOf({ ...EVERYTHING_CHANGED, id: change, time: Date.now() })
    return endpoints.map(({ id }) => planned(id, { id: change, kind: 'all', object: '' }, message))
  }

  async #deliveryOf(endpoint: Endpoint, change: Change, message: WebhookMessage): Promise<Planned | null> {
    const { hooks, log } = this.#plugin
    if (!hooks.webhook_message.isUsed()) return planned(endpoint.id, change, message)
    try {
      const context = { webhook: shownOf(endpoint), change }
      const late = () => new Error(`The taps took longer than ${TAP_SECONDS} s.`)
      const filtered = await withinSeconds(applyFilter(hooks.webhook_message, message, context), TAP_SECONDS, late)
      return filtered === null ? null : planned(endpoint.id, change, checked(filtered))
    } catch (err) {
      log.error(
        { err, webhook: endpoint.id, change: change.id },
        'a tap of webhook_message failed: the message is sent without its changes',
      )
      return planned(endpoint.id, change, message)
    }
  }
}

const EVERYTHING_CHANGED = { kind: 'all', object: '', type: '', change: 'update', tags: [EVERYTHING] } as const

/** The message of a test delivery. */
export function testMessage({ id, name }: Endpoint): WebhookMessage {
  return { type: 'webhooks.test', timestamp: new Date().toISOString(), data: { webhook: id, name } }
}

/** A new `webhook-id`, which stays the same in every attempt. */
export function newMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

/**
 * Validates a message returned by a tap. @throws Error for an invalid message, which would block the messages after it
 */
function checked(message: WebhookMessage): WebhookMessage {
  const { type, timestamp, data }: Readonly<Record<keyof WebhookMessage, unknown>> = message
  const isType = typeof type === 'string' && TYPE.test(type)
  const isTime = typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp))
  if (!isType || !isTime || !isObject(data)) {
    throw new Error(
      'The message must have a type of letters, digits, dots and dashes, a timestamp, and an object as data.',
    )
  }
  const { length } = JSON.stringify(message)
  if (length > MAX_MESSAGE_LENGTH)
    throw new Error(`The message has ${length} characters; the maximum is ${MAX_MESSAGE_LENGTH}.`)
  return message
}

function planned(
  webhook: number,
  { id, kind, object }: Pick<Change, 'id' | 'kind' | 'object'>,
  message: WebhookMessage,
) {
  return {
    message: newMessageId(),
    webhook,
    change_id: id,
    type: message.type,
    subject: `${kind} ${object}`,
    payload: JSON.stringify(message),
  }
}

function messageOf(seen: SeenChange): WebhookMessage {
  const { id, time, kind, object, type, change, status, previous_status: before, slug, tags } = seen
  const verb = kind === 'all' ? 'updated' : VERBS[change]
  const data = {
    change: id,
    kind,
    object,
    ...(type !== '' && { type }),
    ...(status !== undefined && { status }),
    ...(before !== undefined && { previous_status: before }),
    ...(slug !== undefined && { slug }),
    tags,
  }
  return { type: `${kind}.${verb}`, timestamp: new Date(time).toISOString(), data }
}

/** Whether a webhook wants a change of this kind and type; every webhook wants a change of everything. */
function isSubscribed(endpoint: Endpoint, change: Change): boolean {
  return change.id > endpoint.since && matchesFilter(change, endpoint)
}

/** Whether a change is sent to webhooks at all. Internal changes are not. */
export function isSent({ kind, type, tags }: Change): boolean {
  if (SECRET_KINDS.has(kind) || (kind === 'post' && type === 'revision')) return false
  return kind !== 'tag' || tags.some((tag) => !HOUSEKEEPING.has(tag))
}

function seenEntry(change: Change, seen: SeenChange | null): [number, SeenChange][] {
  return seen === null ? [] : [[change.id, seen]]
}

/**
 * The message about a deleted user. It is no longer known whether visitors could see the user, and front ends must
 * remove the user's page: the message contains only the ID and the tags.
 */
function deletedUserOf({ id, time, kind, object, type, change, tags }: Change): SeenChange[] {
  if (kind !== 'user' || change !== 'delete') return []
  const visibleTags = tags.filter((tag) => !tag.includes(':meta='))
  return [{ id, time, kind, object: Number(object), type, change, tags: visibleTags }]
}

/** A change with its values before and after; null for a draft that was never saved. */
function plainOf({ id, time, kind, object, type, change, tags, before, after }: Change): SeenChange | null {
  const statusOf = (facts: Change['before']) => (facts === null ? undefined : facts['status'])
  const isThere = (facts: Change['before']) => facts !== null && statusOf(facts) !== 'auto-draft'
  const hasSides = before !== null || after !== null
  if (kind === 'post' && hasSides && !isThere(before) && !isThere(after)) return null
  const effectiveChange =
    kind !== 'post' || !hasSides || isThere(before) === isThere(after) ? change : isThere(after) ? 'create' : 'delete'
  return {
    id,
    time,
    kind,
    object: objectOf({ kind, object }),
    type,
    change: effectiveChange,
    tags: tags.filter((tag) => kind !== 'tag' || !HOUSEKEEPING.has(tag)),
    ...factOf('status', statusOf(after)),
    ...factOf('previous_status', statusOf(before)),
    ...factOf('slug', (after ?? before)?.['slug']),
  }
}

/** A fact by its name, or an empty object if it is unknown. */
function factOf(name: 'status' | 'previous_status' | 'slug', value: string | number | null | undefined) {
  return value === null || value === undefined ? {} : { [name]: String(value) }
}

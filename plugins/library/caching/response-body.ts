import type { Link, ResponseBody, RestResponse, RestServer } from '../../../kernel/index.ts'
import { Json } from './json.ts'

/** Links of an item as JSON texts. */
export interface LinkTexts {
  /** Value of `_links`. */
  readonly compact: string
  /** Links by relation. */
  readonly full: string
}

/** Body of a list: its items with their links. */
export class ListBody implements ResponseBody {
  readonly hasLinks = false
  readonly items: readonly Json[]

  constructor(items: readonly Json[]) {
    this.items = items
  }

  get value(): unknown[] {
    return this.items.map(({ value }) => value)
  }

  get links(): Map<string, Link[]> {
    return new Map()
  }

  get text(): string {
    return `[${this.items.map(({ text }) => text).join(',')}]`
  }
}

/** Body of a single object: its data and its links. */
export class ItemBody implements ResponseBody {
  readonly data: Json
  readonly #links: LinkTexts | null

  constructor(data: Json, links: LinkTexts | null) {
    this.data = data
    this.#links = links
  }

  get value(): unknown {
    return this.data.value
  }

  get hasLinks(): boolean {
    return this.#links !== null
  }

  /** The links by relation, parsed on each access. */
  get links(): Map<string, Link[]> {
    return new Map(this.#links === null ? [] : (JSON.parse(this.#links.full) as [string, Link[]][]))
  }

  /** Returns the body with other data. */
  withData(data: Json): ItemBody {
    return new ItemBody(data, this.#links)
  }

  /** The data including its links. */
  get whole(): Json {
    return this.#links === null ? this.data : this.data.with('_links', this.#links.compact)
  }

  get text(): string {
    return this.whole.text
  }
}

/** Returns the body of a response including its links, as a value or a text, whichever exists. */
export function responseToJson(server: RestServer, response: RestResponse): Json {
  const { body } = response
  if (body instanceof ItemBody) return body.whole
  return body === null ? Json.of(server.responseToData(response)) : Json.fromText(body.text)
}

import type { Link, ResponseBody, RestResponse, RestServer } from '../../../kernel/index.ts'
import { Json } from './json.ts'

/** The links of an item as texts. */
export interface LinkTexts {
  /** As they stand in `_links`. */
  readonly compact: string
  /** By relation, as a response has them. */
  readonly full: string
}

/** The body of a list: its items, with their links. */
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

/** The body of a single object: its data, and its links beside them. */
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

  /** The links by relation, made anew. */
  get links(): Map<string, Link[]> {
    return new Map(this.#links === null ? [] : (JSON.parse(this.#links.full) as [string, Link[]][]))
  }

  /** The same with other data. */
  withData(data: Json): ItemBody {
    return new ItemBody(data, this.#links)
  }

  /** The data with the links in them. */
  get whole(): Json {
    return this.#links === null ? this.data : this.data.with('_links', this.#links.compact)
  }

  get text(): string {
    return this.whole.text
  }
}

/** The body of a response with its links, as a value or a text, the one that is there. */
export function responseToJson(server: RestServer, response: RestResponse): Json {
  const { body } = response
  if (body instanceof ItemBody) return body.whole
  return body === null ? Json.of(server.responseToData(response)) : Json.fromText(body.text)
}

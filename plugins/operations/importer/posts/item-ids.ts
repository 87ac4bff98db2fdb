import type { ImportContext } from '../context.ts'
import { IdMap, type IdSequence } from '../id-map.ts'
import type { WxrItem } from '../wxr/types.ts'

/** Maps IDs of items in the file to IDs on this site. */
export class ItemIds {
  readonly #context: ImportContext
  readonly #sequence: IdSequence
  /** IDs by ID in the file. */
  readonly #ids = new IdMap()

  constructor(context: ImportContext, sequence: IdSequence) {
    this.#context = context
    this.#sequence = sequence
  }

  /** The highest ID of an existing item; 0 for none. */
  get highestBefore(): number {
    return this.#sequence.highestBefore
  }

  /** Whether the site had no items, so that items of the file keep their IDs. */
  get keep(): boolean {
    return this.#sequence.keep
  }

  /** The ID on this site of the item with this ID in the file; 0 for none. */
  get(fileId: number): number {
    return this.#ids.get(fileId)
  }

  /** Assigns an ID to a new item. */
  assign({ id: fileId, title }: WxrItem): number {
    const id = this.#sequence.next(fileId)
    if (fileId !== 0 && !this.#ids.has(fileId)) this.#ids.set(fileId, id)
    else if (fileId !== 0) this.#context.counters.note('item whose ID is used by another item of the file', title)
    return id
  }

  /** Records the ID of an existing item. */
  set(fileId: number, id: number): void {
    if (fileId !== 0) this.#ids.set(fileId, id)
  }
}

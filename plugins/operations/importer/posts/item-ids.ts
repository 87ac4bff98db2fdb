import type { ImportContext } from '../context.ts'
import { IdMap, type IdSequence } from '../id-map.ts'
import type { WxrItem } from '../wxr/types.ts'

/** The IDs that the items of the file have on this site. */
export class ItemIds {
  readonly #context: ImportContext
  readonly #sequence: IdSequence
  /** IDs by ID in the file. */
  readonly #ids = new IdMap()

  constructor(context: ImportContext, sequence: IdSequence) {
    this.#context = context
    this.#sequence = sequence
  }

  /** The highest ID of an item that was here before the import; 0 for none. */
  get highestBefore(): number {
    return this.#sequence.highestBefore
  }

  /** Whether the site had no items, so that those of the file keep their IDs. */
  get keep(): boolean {
    return this.#sequence.keep
  }

  /** The ID here of the item that has this ID in the file; 0 for none. */
  get(fileId: number): number {
    return this.#ids.get(fileId)
  }

  /** Gives a new item its ID. */
  take({ id: fileId, title }: WxrItem): number {
    const id = this.#sequence.take(fileId)
    if (fileId !== 0 && !this.#ids.has(fileId)) this.#ids.set(fileId, id)
    else if (fileId !== 0) this.#context.counters.note('item whose ID another item of the file has too', title)
    return id
  }

  /** Notes that an item of the file is here already. */
  set(fileId: number, id: number): void {
    if (fileId !== 0) this.#ids.set(fileId, id)
  }
}

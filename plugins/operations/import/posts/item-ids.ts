import type { ImportContext } from '../context.ts'
import { IdMap, IdSequence } from '../id-map.ts'
import type { WxrItem } from '../wxr/types.ts'

/** The IDs that the items of the file have on this site. */
export class ItemIds {
  /** The highest ID of an item that was here before the import; 0 for none. */
  readonly highestBefore: number
  readonly #context: ImportContext
  readonly #sequence: IdSequence
  /** IDs by ID in the file. */
  readonly #ids = new IdMap()

  private constructor(context: ImportContext, highest: number) {
    this.#context = context
    this.highestBefore = highest
    this.#sequence = new IdSequence(highest === 0, highest)
  }

  static async open(context: ImportContext): Promise<ItemIds> {
    return new ItemIds(context, await context.highestId('posts'))
  }

  /** Whether the site had no items, so that those of the file keep their IDs. */
  get keep(): boolean {
    return this.highestBefore === 0
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

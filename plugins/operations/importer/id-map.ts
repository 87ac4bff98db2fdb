/** Initial number of slots; a power of two. */
const INITIAL_SLOTS = 1024

/**
 * Maps IDs to IDs, both integers from 1 to 2^32 - 1, in 8 to 16 bytes per entry, so that imports of any size fit in
 * memory.
 */
export class IdMap {
  #keys = new Uint32Array(INITIAL_SLOTS)
  #values = new Uint32Array(INITIAL_SLOTS)
  #entries = 0
  /** A random odd multiplier, so that no file can be crafted whose IDs all collide. */
  readonly #multiplier = (Math.floor(Math.random() * 2 ** 31) * 2 + 1) >>> 0

  get size(): number {
    return this.#entries
  }

  /** The ID that `key` maps to; 0 for none. */
  get(key: number): number {
    return this.#values[this.#slot(key)] ?? 0
  }

  has(key: number): boolean {
    return this.get(key) !== 0
  }

  /** @throws RangeError if an ID is out of range */
  set(key: number, value: number): void {
    if (!isId(key) || !isId(value)) throw new RangeError(`IDs must be integers from 1 to 2^32 - 1: ${key}, ${value}`)
    if (this.#entries * 2 >= this.#keys.length) this.#grow()
    const slot = this.#slot(key)
    if (this.#keys[slot] === 0) this.#entries += 1
    this.#keys[slot] = key
    this.#values[slot] = value
  }

  /** The slot of a key, or the free slot for it. */
  #slot(key: number): number {
    const mask = this.#keys.length - 1
    let slot = Math.imul(key, this.#multiplier) >>> Math.clz32(mask)
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Uint32Array(keys.length * 2)
    this.#values = new Uint32Array(keys.length * 2)
    keys.forEach((key, index) => {
      if (key === 0) return
      const slot = this.#slot(key)
      this.#keys[slot] = key
      this.#values[slot] = values[index] ?? 0
    })
  }
}

/** Whether a number is a valid ID. */
export function isId(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value < 2 ** 32
}

/** IDs that no row uses. `delete` returns whether the ID was among them. */
export interface FreeIds {
  delete(id: number): boolean
}

/**
 * Assigns IDs to new rows of one table. Rows keep the IDs of the file if the table was empty before the first import
 * from the old site and the ID is free; otherwise IDs continue above the highest one. IDs are assigned explicitly, so
 * that references can be written before the rows.
 */
export class IdSequence {
  /** The highest ID in the table before the import; 0 if it was empty. */
  readonly highestBefore: number
  /** Whether rows keep the IDs of the file. */
  readonly keep: boolean
  #highest: number

  constructor(highestBefore: number, keep = highestBefore === 0) {
    this.highestBefore = highestBefore
    this.keep = keep
    this.#highest = highestBefore
  }

  /** The highest ID in use. */
  get highest(): number {
    return this.#highest
  }

  /**
   * @param fileId ID in the file; 0 for none
   * @param free IDs that no row uses
   */
  next(fileId: number, free: FreeIds): number {
    const id = this.keep && isId(fileId) && free.delete(fileId) ? fileId : this.#highest + 1
    free.delete(id)
    this.#highest = Math.max(this.#highest, id)
    return id
  }
}

/** The IDs of a table that is completely in memory. */
export class UsedIds implements FreeIds {
  readonly #ids = new IdMap()

  /** Marks an ID as used, and returns whether it was free. */
  delete(id: number): boolean {
    if (!isId(id) || this.#ids.has(id)) return false
    this.#ids.set(id, id)
    return true
  }
}

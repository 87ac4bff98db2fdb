/** Stack of open elements. Each element is visited at most twice, regardless of the order of tags. */
export class OpenElements {
  readonly #names: string[] = []
  readonly #counts = new Map<string, number>()

  get size(): number {
    return this.#names.length
  }

  /** Name of the innermost open element; undefined if no element is open. */
  get innermost(): string | undefined {
    return this.#names.at(-1)
  }

  open(name: string): void {
    this.#names.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Closes the innermost element with this name and all elements inside it. Returns false if none is open. */
  close(name: string): boolean {
    if (!this.#counts.get(name)) return false
    while (this.#pop() !== name);
    return true
  }

  /** Number of open elements with this name. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  #pop(): string {
    const name = this.#names.pop()!
    this.#counts.set(name, this.#counts.get(name)! - 1)
    return name
  }
}

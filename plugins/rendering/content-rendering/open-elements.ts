/** The elements that are open, innermost last. Whatever begins and ends, each element is looked at twice at most. */
export class OpenElements {
  readonly #names: string[] = []
  readonly #counts = new Map<string, number>()

  get size(): number {
    return this.#names.length
  }

  /** Name of the innermost; undefined where none is open. */
  get innermost(): string | undefined {
    return this.#names.at(-1)
  }

  open(name: string): void {
    this.#names.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Closes the innermost element of a name with all that is open in it; false where there is none. */
  close(name: string): boolean {
    if (!this.#counts.get(name)) return false
    while (this.#pop() !== name);
    return true
  }

  /** How many elements of a name are open. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  #pop(): string {
    const name = this.#names.pop()!
    this.#counts.set(name, this.#counts.get(name)! - 1)
    return name
  }
}

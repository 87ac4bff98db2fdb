/** Runs tasks one after another, in the order they came. */
export class Queue {
  #last: Promise<unknown> | undefined

  /** Whether no task runs or waits. */
  get idle(): boolean {
    return this.#last === undefined
  }

  /** Runs the task when those before it have ended, at once if there are none; settles as it does. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#last === undefined ? attempt(task) : this.#last.then(task)
    const last = result.then(nothing, nothing).then(() => {
      if (this.#last === last) this.#last = undefined
    })
    this.#last = last
    return result
  }

  /** Resolves when no task is left. */
  async drained(): Promise<void> {
    while (this.#last !== undefined) await this.#last
  }
}

async function attempt<T>(task: () => T | Promise<T>): Promise<T> {
  return task()
}

function nothing(): void {}

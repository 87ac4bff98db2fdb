import type { Arguments, Awaitable } from '../../../kernel/index.ts'
import type { ValuesOf } from '../schemas/index.ts'

declare module '../../../kernel/index.ts' {
  interface PluginContext {
    /**
     * Adds a sub-command to `svc`, such as `garden` or `garden water`: it runs on the site of the config, which is started
     * but does not listen.
     * @throws COMMAND_INVALID, COMMAND_TAKEN
     */
    addCommand<const A extends Arguments = Record<never, never>, const F extends Arguments = Record<never, never>>(
      this: void,
      name: string,
      command: Command<A, F>,
    ): void
  }
}

/** A call of a command of a plugin, its operands and flags checked. */
export interface Invocation<A = Arguments, F = Arguments> {
  /** The operands that were given, or have a default, by name. */
  readonly operands: ValuesOf<A>
  /** The flags that were given, or have a default, by the names of their declaration. */
  readonly flags: ValuesOf<F>
  /** Whether `--json` asks for data in place of text. */
  readonly json: boolean
  /** Prints text and ends the line. */
  print(this: void, text: string): void
  /**
   * Prints data: with `--json` as JSON, else as it is shown: a text, or the cells of the lines of a table; without it as a
   * table of its own. For commands that declare `json: true`.
   */
  printData(this: void, data: unknown, shown?: string | readonly (readonly string[])[]): void
}

/** A sub-command of `svc` that a plugin adds. */
export interface Command<A extends Arguments = Arguments, F extends Arguments = Arguments> {
  /** What it does, in one sentence. */
  readonly summary: string
  /** What else a user has to know, for `--help`. */
  readonly description?: string
  /**
   * Its operands in order, by name, each with the schema of an argument; the last one may be an `array`, which takes all
   * that are left.
   */
  readonly args?: A
  /**
   * Its flags by name: `dry_run` is `--dry-run`. A `boolean` takes no value (`--no-dry-run` is false), an `array` may be
   * given several times, an `object` takes JSON.
   */
  readonly flags?: F
  /** Whether it prints data, so that it takes `--json`. */
  readonly json?: boolean
  /**
   * Does the work, on the site of the config, which is started but does not listen. Returns the exit code; nothing means 0.
   * What it throws is told in a sentence, and the exit code is 1.
   */
  run(invocation: Invocation<A, F>): Awaitable<number | void>
}

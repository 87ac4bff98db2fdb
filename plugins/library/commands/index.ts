import type { Arguments, Awaitable } from '../../../kernel/index.ts'
import type { ValuesOf } from '../schemas/index.ts'

declare module '../../../kernel/index.ts' {
  interface PluginContext {
    /**
     * Adds a subcommand to `svc`, such as `garden` or `garden water`. It runs on the site of the config, which is
     * started but does not listen.
     * @throws COMMAND_INVALID, COMMAND_TAKEN
     */
    addCommand<const A extends Arguments = Record<never, never>, const F extends Arguments = Record<never, never>>(
      this: void,
      name: string,
      command: Command<A, F>,
    ): void
  }
}

/** A call of a plugin's command with validated operands and flags. */
export interface Invocation<A = Arguments, F = Arguments> {
  /** Operands by name, including defaults. */
  readonly operands: ValuesOf<A>
  /** Flags by their declared names, including defaults. */
  readonly flags: ValuesOf<F>
  /** Whether `--json` requests data instead of text. */
  readonly json: boolean
  /** Prints a line of text. */
  print(this: void, text: string): void
  /**
   * Prints data: with `--json` as JSON, otherwise `shown`, which is a text or the cells of a table, or by default the
   * data as a table. For commands with `json: true`.
   */
  printData(this: void, data: unknown, shown?: string | readonly (readonly string[])[]): void
}

/** A subcommand of `svc` that a plugin adds. */
export interface Command<A extends Arguments = Arguments, F extends Arguments = Arguments> {
  /** One sentence about the effect of the command. */
  readonly summary: string
  /** Further explanation for `--help`. */
  readonly description?: string
  /**
   * Operands in order, by name, each with the schema of an argument. The last one can be an `array`, which gets all
   * remaining operands.
   */
  readonly args?: A
  /**
   * Flags by name: `dry_run` is `--dry-run`. A `boolean` takes no value (`--no-dry-run` is false), an `array` can be
   * repeated, an `object` takes JSON.
   */
  readonly flags?: F
  /** Whether the command prints data and accepts `--json`. */
  readonly json?: boolean
  /**
   * Runs the command on the site of the config, which is started but does not listen. Returns the exit code, 0 by
   * default. A thrown error is printed in one sentence, and the exit code is 1.
   */
  run(invocation: Invocation<A, F>): Awaitable<number | void>
}

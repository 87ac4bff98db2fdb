import { setFlagsFromString } from 'node:v8'

/**
 * Percent by which the heap may outgrow what was alive in it before V8 collects it whole. Left to itself V8 waits until it
 * is three or four times as much.
 */
const GROWTH = 50

/**
 * Has V8 collect its heap sooner than it would, unless the command line says how far it may grow.
 * @param commandLine the flags that Node itself was given
 * @param set gives V8 a flag
 */
export function keepHeapSmall(commandLine: readonly string[] = process.execArgv, set = setFlagsFromString): void {
  if (commandLine.some((flag) => /^--heap[-_]growing[-_]percent\b/.test(flag))) return
  set(`--heap-growing-percent=${GROWTH}`)
}

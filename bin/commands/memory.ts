import { setFlagsFromString } from 'node:v8'

/**
 * Percent by which the heap can grow beyond the live objects before V8 runs a full collection. By default V8 lets it grow
 * to three or four times their size.
 */
const HEAP_GROWTH_PERCENT = 50

/**
 * Makes V8 collect the heap earlier, and keeps the space for new objects at its initial size. Under load that space
 * would grow to 60 MB; this saves the memory, and costs a seventh of the processor time of uncached requests (measured
 * once). Flags on the command line of Node win.
 * @param commandLine the flags passed to Node itself
 * @param set sets a flag of V8
 */
export function keepHeapSmall(commandLine: readonly string[] = process.execArgv, set = setFlagsFromString): void {
  const hasFlag = (flag: RegExp) => commandLine.some((argument) => flag.test(argument.replaceAll('_', '-')))
  if (!hasFlag(/^--heap-growing-percent\b/)) set(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  if (!hasFlag(/^--(?:(?:min|max)-semi-space-size|semi-space-growth-factor)\b/)) set('--semi-space-growth-factor=1')
}

/**
 * Settings of glibc for workers: two memory arenas for all threads (the default is eight per processor), and blocks of
 * 256 KiB or more return to the system when they are freed. A worker holds 15 MB less after 10,000 mixed requests.
 */
const GLIBC_SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' }

/**
 * Returns environment variables that make glibc return freed memory to the system. Other C libraries ignore them.
 * @param env the environment of this process, which workers inherit: variables that it sets are not overridden
 */
export function memoryEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(Object.entries(GLIBC_SETTINGS).filter(([name]) => env[name] === undefined))
}

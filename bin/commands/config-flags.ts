import { configKeys, loadConfig } from '../config/index.ts'
import type { SiteConfig } from '../../kernel/index.ts'

type Flag = { type: 'string' | 'boolean' }

/** The config keys that a flag can set: every key whose value is not an object. */
const KEYS = Object.entries(configKeys).filter(([, { type }]) => type !== 'object')

const flagOf = (key: string) => key.replaceAll('_', '-')

/** The flags that override config keys, as options of `parseArgs`. */
export const configFlags: Readonly<Record<string, Flag>> = {
  config: { type: 'string' },
  ...Object.fromEntries(
    KEYS.map(([key, { type }]) => [flagOf(key), { type: type === 'boolean' ? 'boolean' : 'string' } as const]),
  ),
}

/** Returns one line for each config flag with its description, for `--help`. */
export function configUsage(): string {
  const rows = KEYS.map(([key, { description, type }]) => [
    `--${flagOf(key)}${type === 'boolean' ? '' : ' VALUE'}`,
    description,
  ])
  const all = [['--config FILE', 'Config file; by default svc.config.json, .js or .ts in this folder.'], ...rows]
  return all.map(([flag = '', sentence = '']) => `  ${flag.padEnd(22)}${sentence}`).join('\n')
}

/** Loads the config from its file, the environment and the parsed flags. Throws the errors of `loadConfig`. */
export async function configFrom(values: Readonly<Record<string, unknown>>): Promise<SiteConfig> {
  const flags = Object.fromEntries(KEYS.map(([key]) => [key, values[flagOf(key)]]))
  return await loadConfig({ file: values['config'] as string | undefined, env: process.env, flags })
}

import type { Logger } from 'pino'
import type { AnyPlugin, ConfiguredPlugin, SiteConfig, WorkerPlace } from '../../kernel/index.ts'
import type { RequestNotes } from '../../kernel/http/request-notes.ts'
import { Kernel as BareKernel } from '../../kernel/kernel.ts'
import { Advisor } from '../../plugins/library/advice/advisor.ts'
import { branding } from '../../plugins/library/branding/index.ts'
import { describePlugin, type OptionalName, type RunningName } from '../../plugins/library/running-plugins/index.ts'
import { hasSince, type Presets, type RevisionChanges } from '../../plugins/library/site-config/index.ts'
import { CommandRegistry } from './commands.ts'
import { withoutSecretKeys } from './config.ts'
import { errors } from './errors.ts'
import { formerLimitsOf, withFormerNames } from './former-limits.ts'
import { FormerNames } from './former-names.ts'
import { createLog } from './log.ts'
import { resolvePlugins } from './plugin-loader.ts'
import { partOfLimits } from './worker-limits.ts'

/** The config of a site and the plugins that it can select. */
export interface KernelOptions {
  config: SiteConfig
  /** The plugins that start unless the config switches them off. */
  defaults: readonly AnyPlugin[]
  /** The defaults that start, by value of the config key `preset`. Plugins in no preset always start. */
  presets?: Presets
  /** Changes to the defaults, by revision of the REST API. */
  revisions?: Readonly<Record<string, RevisionChanges>>
  log?: Logger
  /** Place of this process among the workers of the site; by default the only one. */
  worker?: WorkerPlace
  /** Notes the requests in progress. */
  requests?: RequestNotes
}

/** A running site with the subcommands that its plugins add to `svc`. */
export class Kernel extends BareKernel {
  readonly commands: CommandRegistry
  /** Called when a plugin asks for a restart. @param reason why, for the log */
  onRestartRequest: (reason: string) => void = (reason) => this.log.warn(`Restart the server, because ${reason}.`)

  constructor(parts: ConstructorParameters<typeof BareKernel>[0] & { readonly commands: CommandRegistry }) {
    super(parts)
    this.commands = parts.commands
  }

  /** Returns descriptions of the running plugins without secrets. */
  running(): RunningName[] {
    return this.plugins.map(describePlugin)
  }
}

/**
 * Applies the plugins and creates the server of a site.
 * @throws CONFIG_INVALID for an unknown revision or preset, the errors of `resolvePlugins`, and errors of plugins
 */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const { defaults, presets, revisions = {}, worker = { number: 1, count: 1 }, requests } = options
  const config = { ...options.config, limits: withFormerNames(partOfLimits(options.config.limits, worker)) }
  const log = options.log ?? createLog(config.log)
  const revision = config.revision === 'latest' ? {} : revisions[config.revision]
  if (revision === undefined) throw errors.CONFIG_INVALID('revision', 'is not known to these plugins')
  // Only one worker logs the warnings.
  const formerNames = new FormerNames(defaults, worker.number === 1 ? log : undefined)
  formerNames.limits(formerLimitsOf(options.config.limits))
  const plugins = await resolvePlugins(defaults, config.plugins, config.folder, revision, {
    formerNames,
    leftOut: namesLeftOut(config.preset, defaults, presets),
  })
  const advice = new Advisor(log, defaults, plugins)
  const commands: CommandRegistry = new CommandRegistry(() => kernel.services.arguments)
  const shownConfig = withoutSecretKeys(config)
  const words = branding(config.word, config.relation_uri ?? undefined)
  const kernel: Kernel = new Kernel({
    config,
    shownConfig,
    plugins,
    log,
    worker,
    commands,
    context: {
      addCommand: commands.add.bind(commands),
      since: (version: string) => hasSince(config.revision, version),
      running: () => kernel.running(),
      optional: () => plugins.filter((plugin) => plugin.isConditional).map((plugin) => optionalName(plugin, kernel)),
      requestRestart: (reason: string) => kernel.onRestartRequest(reason),
    },
    formerNames,
    advice,
    branding: words,
    requests,
  })
  await kernel.start()
  try {
    advice.checkSite(kernel.registry, kernel.services, new Set(kernel.plugins.map(({ slot }) => slot)))
  } catch (error) {
    await kernel.close()
    throw error
  }
  return kernel
}

function optionalName({ slot, definition }: ConfiguredPlugin, kernel: Kernel): OptionalName {
  const isRunning = kernel.plugins.some((plugin) => plugin.slot === slot)
  return { name: slot, description: definition.description ?? '', isRunning }
}

/** Returns the names of the defaults that a preset leaves out. @throws CONFIG_INVALID */
function namesLeftOut(
  preset: SiteConfig['preset'],
  defaults: readonly AnyPlugin[],
  presets: Presets | undefined,
): ReadonlySet<string> {
  const started = preset === 'full' ? defaults : presets?.[preset]
  if (started === undefined) throw errors.CONFIG_INVALID('preset', 'is not known to these plugins')
  const others = Object.values(presets ?? {}).flat()
  return new Set(others.filter((plugin) => !started.includes(plugin)).map(({ name }) => name))
}

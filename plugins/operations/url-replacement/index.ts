import { definePlugin } from '../../../kernel/index.ts'
// Registers the errors with the plugin; the code that throws them is loaded on demand.
import './errors.ts'
import { isFirstWarning, movedHome, recordHome, type MovedHome } from './content-home.ts'
import type { ReplacedColumn, UrlReplacementOptions } from './replacement.ts'

export type { MovedHome } from './content-home.ts'
export type { ReplacedColumn, UrlReplacementOptions } from './replacement.ts'

/** Replaces URLs in the content of the site. */
export interface UrlReplacement {
  /**
   * Replaces a URL and everything below it, in one transaction: in titles, contents, excerpts, GUIDs, meta, terms,
   * comments, profiles of users and options. Finds each form of the URL, and keeps the lengths in values that PHP has
   * serialized correct. Other writes wait until it ends.
   * @returns the number of replacements by column
   * @throws URLS_INVALID, URLS_EQUAL
   */
  run(options: UrlReplacementOptions): Promise<ReplacedColumn[]>
  /** Returns the home in the texts of the site and the current one if they differ; otherwise null. */
  moved(): Promise<MovedHome | null>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Replaces URLs in the content of the site.
     * @example
     * await services.urlReplacement.run({ from: 'http://old.example', to: 'https://new.example', dryRun: true })
     */
    urlReplacement: UrlReplacement
  }
}

/** Replaces URLs when a site moves, and warns when `home` is not the URL that the texts contain. */
export default definePlugin({
  name: 'url-replacement',
  needs: ['store', 'settings'],
  provides: ['urlReplacement'],
  apply(plugin) {
    const { addCommand, config, hooks, log, provide, services, urls, worker } = plugin
    // An automatic port changes with each start.
    const isAutomatic = config.home === null && config.port === 0
    const replacement: UrlReplacement = {
      async run(options) {
        // Loaded on demand: sites move rarely.
        const { replaceUrls } = await import('./replacement.ts')
        return await replaceUrls(services.store, options)
      },
      moved: async () => (isAutomatic ? null : movedHome(plugin)),
    }
    provide('urlReplacement', replacement)
    addCommand('urls replace', {
      summary: 'Replaces a URL in contents, GUIDs, meta, comments, terms, profiles and options, in every form.',
      description:
        'Use it after the URL of the site has changed: svc urls replace http://old.example https://new.example. It finds http and https, with and without www, URLs without a scheme, and URLs that are encoded or escaped in JSON, and corrects the lengths in serialized values.',
      args: {
        old: { description: 'URL to replace, such as http://old.example.', type: 'string', required: true },
        new: { description: 'URL to write instead.', type: 'string', required: true },
      },
      flags: {
        dry_run: { description: 'Only counts, and changes nothing.', type: 'boolean', default: false },
        keep_guids: { description: 'Leaves GUIDs as they are.', type: 'boolean', default: false },
      },
      json: true,
      async run({ operands, flags, printData, print, json }) {
        const { old: from, new: to } = operands
        const replaced = await replacement.run({ from, to, dryRun: flags.dry_run, keepGuids: flags.keep_guids })
        if (json || replaced.length > 0) printData(replaced)
        if (json) return
        const count = replaced.reduce((sum, { urls: found }) => sum + found, 0)
        print(`${count} URLs ${flags.dry_run ? 'would be' : 'were'} replaced.`)
      },
    })
    hooks.server_listening.tapPromise({ name: 'url-replacement', stage: 120 }, async () => {
      if (isAutomatic || worker.number !== 1) return
      await recordHome(plugin)
      const moved = await movedHome(plugin)
      if (moved === null || (moved.isLocal && !(await isFirstWarning(plugin, moved)))) return
      log.warn(
        `The texts of the site were written under ${moved.from}, but home is ${urls.home}: run svc urls replace ${moved.from} ${moved.to}`,
      )
    })
  },
})

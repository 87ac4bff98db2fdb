import { trustPlugins, type AnyPlugin } from '../kernel/index.ts'
import type { Presets } from './library/site-config/index.ts'
import compat from './compat/index.ts'
import content from './content/index.ts'
import './deprecated.ts'
import design from './design/index.ts'
import foundation from './foundation/index.ts'
import { provideImports } from './imports.ts'
import operations from './operations/index.ts'
import people from './people/index.ts'
import rendering from './rendering/index.ts'
import { revisionsOf } from './responses/compat/index.ts'
import requests from './requests/index.ts'
import resources from './resources/index.ts'
import responses from './responses/index.ts'
import site from './site/index.ts'
import storage from './storage/index.ts'

/**
 * Plugins for editing, designing and operating a site with our tools. All other plugins are the core: the resources of
 * the specification, the plugins that shape their responses, and their dependencies. No core plugin needs one of these.
 */
const STUDIO_NAMES: ReadonlySet<string> = new Set(
  [
    // The admin and the block editor, with the resources that only the block editor requests.
    'admin editor editor-ajax fonts icons installed-plugins post-notes url-details view-config',
    // Design, and the pages that visitors see.
    'block-patterns crawlers feeds global-styles menus navigation site-pages templates widgets',
    // Content from and for other sites and programs.
    'abilities actions change-feed exporter feed-reader imported-ids importer oembed previews transfer url-replacement webhooks',
    // Operation.
    'optional-plugins site-health trace',
    // Data of popular plugins of WordPress. Off until they are switched on.
    'custom-field-routes custom-fields custom-types featured-image-fields filter-parameter forms imported-data redirects',
    'jetpack-fields jwt languages menu-routes seo',
  ].flatMap((line) => line.split(' ')),
)

const all: readonly AnyPlugin[] = [
  ...requests,
  resources,
  ...storage,
  ...people,
  ...foundation,
  ...content,
  ...rendering,
  ...design,
  ...responses,
  ...operations,
  ...site,
  ...compat,
]

/** The plugins of `"preset": "core"`: the resources of the specification and their storage. */
export const core: readonly AnyPlugin[] = all.filter(({ name }) => !STUDIO_NAMES.has(name))

/** The plugins that `"preset": "core"` leaves out. */
export const studio: readonly AnyPlugin[] = all.filter(({ name }) => STUDIO_NAMES.has(name))

/** All default plugins. The config switches off, replaces or configures each by its name. */
export const defaults: readonly AnyPlugin[] = [...core, ...studio]

/** The plugins of each value of the config key `preset`. */
export const presets: Presets = { core, full: defaults }

/** The changes to the default plugins in each revision of the REST API. */
export const revisions = revisionsOf(defaults)

const changes = Object.values(revisions).flatMap((revision) => Object.values(revision))
trustPlugins([...defaults, ...changes.flatMap((change) => (change === false ? [] : (change.use ?? [])))])

provideImports()

import { trustPlugins, type AnyPlugin } from '../kernel/index.ts'
import content from './content/index.ts'
import design from './design/index.ts'
import { provideImports } from './imports.ts'
import operations from './operations/index.ts'
import people from './people/index.ts'
import rendering from './rendering/index.ts'
import { presetsOf } from './responses/compat/index.ts'
import requests from './requests/index.ts'
import resources from './resources/index.ts'
import responses from './responses/index.ts'
import site from './site/index.ts'
import storage from './storage/index.ts'

/** The defaults, each switched off, replaced or configured by its name. */
export const defaults: readonly AnyPlugin[] = [
  ...requests,
  resources,
  ...storage,
  ...people,
  ...site,
  ...content,
  ...rendering,
  ...design,
  ...responses,
  ...operations,
]

/** What differs from the defaults in each revision of the REST API. */
export const presets = presetsOf(defaults)

const changes = Object.values(presets).flatMap((preset) => Object.values(preset))
trustPlugins([...defaults, ...changes.flatMap((change) => (change === false ? [] : (change.use ?? [])))])

provideImports()

import type { AnyPlugin } from '../public.ts'
import customFieldRoutes from './custom-field-routes/index.ts'
import customFields from './custom-fields/index.ts'
import customTypes from './custom-types/index.ts'
import featuredImageFields from './featured-image-fields/index.ts'
import filterParameter from './filter-parameter/index.ts'
import forms from './forms/index.ts'
import importedData from './imported-data/index.ts'
import importedIds from './imported-ids/index.ts'
import jetpackFields from './jetpack-fields/index.ts'
import jwt from './jwt/index.ts'
import languages from './languages/index.ts'
import menuRoutes from './menu-routes/index.ts'
import redirects from './redirects/index.ts'
import seo from './seo/index.ts'

/**
 * Optional plugins that serve the data of popular WordPress plugins under the names that front ends read. They use only
 * the exports of `svc-rest`. An import switches on those whose data it finds.
 */
const plugins: readonly AnyPlugin[] = [
  customFieldRoutes,
  customFields,
  customTypes,
  featuredImageFields,
  filterParameter,
  forms,
  importedData,
  importedIds,
  jetpackFields,
  jwt,
  languages,
  menuRoutes,
  redirects,
  seo,
]
export default plugins

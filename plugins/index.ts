import type { AnyPlugin } from '../kernel/index.ts'
import allowHeader from './allow-header.ts'
import applicationPasswords from './application-passwords/index.ts'
import attempts from './attempts/index.ts'
import autosaves from './autosaves.ts'
import batch from './batch.ts'
import blocks from './blocks/index.ts'
import comments from './comments/index.ts'
import { presetsOf } from './compat/index.ts'
import contentTypes from './content-types/index.ts'
import cookieAuth from './cookie-auth/index.ts'
import cors from './cors.ts'
import deprecation from './deprecation.ts'
import discovery from './discovery.ts'
import embed from './embed.ts'
import envelope from './envelope.ts'
import extraFields from './extra-fields/index.ts'
import fields from './fields.ts'
import firstRun from './first-run/index.ts'
import html from './html/index.ts'
import indexDocuments from './index-documents.ts'
import jsonp from './jsonp.ts'
import login from './login/index.ts'
import media from './media/index.ts'
import meta from './meta/index.ts'
import options from './options.ts'
import passwords from './passwords/index.ts'
import permalinks from './permalinks/index.ts'
import plainUrls from './plain-urls.ts'
import posts from './posts/index.ts'
import preload from './preload.ts'
import rendering from './rendering/index.ts'
import restHeaders from './rest-headers.ts'
import revisions from './revisions.ts'
import roles from './roles/index.ts'
import scheduledPosts from './scheduled-posts.ts'
import search from './search/index.ts'
import shortcodes from './shortcodes/index.ts'
import smilies from './smilies.ts'
import settings from './settings/index.ts'
import store from './store/index.ts'
import taxonomies from './taxonomies/index.ts'
import terms from './terms/index.ts'
import themes from './themes/index.ts'
import users from './users/index.ts'
import trace from './trace.ts'

/** The defaults, each switched off, replaced or configured by its name. */
export const defaults: readonly AnyPlugin[] = [
  store,
  roles,
  taxonomies,
  contentTypes,
  settings,
  themes,
  meta,
  extraFields,
  permalinks,
  html,
  rendering,
  shortcodes,
  terms,
  posts,
  scheduledPosts,
  blocks,
  media,
  revisions,
  autosaves,
  restHeaders,
  cors,
  plainUrls,
  options,
  allowHeader,
  fields,
  embed,
  envelope,
  jsonp,
  discovery,
  indexDocuments,
  passwords,
  users,
  attempts,
  cookieAuth,
  applicationPasswords,
  login,
  comments,
  smilies,
  search,
  firstRun,
  batch,
  preload,
  deprecation,
  trace,
]

/** What differs from the defaults in each revision of the interface. */
export const presets = presetsOf(defaults)

import type { AnyPlugin } from '../../kernel/index.ts'
import allowHeader from './allow-header.ts'
import batch from './batch.ts'
import compression from './compression/index.ts'
import cors from './cors.ts'
import deprecation from './deprecation.ts'
import discovery from './discovery.ts'
import embed from './embed.ts'
import envelope from './envelope.ts'
import fields from './fields-parameter.ts'
import indexDocuments from './index-documents.ts'
import jsonp from './jsonp.ts'
import options from './options-method.ts'
import plainUrls from './plain-urls.ts'
import preload from './preload.ts'
import responseCache from './response-cache/index.ts'
import restHeaders from './rest-headers.ts'
import securityHeaders from './security-headers.ts'
import tls from './tls.ts'

/** Plugins that process every response, and documents that describe the API. */
const plugins: readonly AnyPlugin[] = [
  restHeaders,
  securityHeaders,
  tls,
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
  batch,
  preload,
  deprecation,
  compression,
  responseCache,
]
export default plugins

import { join } from 'node:path'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // Caches the responses of `fetch` with the tags that the REST API sends.
  cacheHandler: join(import.meta.dirname, 'cache-handler.ts'),
  // Disables the memory cache of Next.js, which could serve responses that the handler has removed.
  cacheMaxMemorySize: 0,
  poweredByHeader: false,
  turbopack: { root: import.meta.dirname },
}

export default config

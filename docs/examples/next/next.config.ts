import { join } from 'node:path'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // Where `fetch` keeps the answers of the REST API, by the tags that they carry.
  cacheHandler: join(import.meta.dirname, 'cache-handler.ts'),
  // Next.js keeps nothing in front of it, so that nothing is shown that the handler has forgotten.
  cacheMaxMemorySize: 0,
  poweredByHeader: false,
  turbopack: { root: import.meta.dirname },
}

export default config

import type { AdminView } from '../../frame/view.ts'

/** The result of a check, as the REST API returns it. */
export interface Check {
  readonly label: string
  readonly status: 'good' | 'recommended' | 'critical'
  /** HTML; `''` for a check without a description. */
  readonly description: string
}

/**
 * Site health tests whose result does not depend on the request of the client. The others test that request, such as
 * its `Authorization` header.
 */
const TESTS = ['https-status', 'page-cache', 'background-updates', 'dotorg-communication', 'loopback-requests']

/** Returns the results of the site health tests that the user may run, and further checks that found a problem. */
export async function checksOf(view: AdminView): Promise<readonly Check[]> {
  const { t, plugin } = view
  const namespace = plugin.branding.namespace('v1', 'site-health')
  const query = { _locale: 'user' }
  const found = await Promise.all(TESTS.map((test) => view.find<Check>(`/${namespace}/tests/${test}`, { query })))
  const results = found.filter((one) => one !== null)
  if (results.length === 0) return []
  const moved = plugin.has('url-replacement') ? await plugin.services.urlReplacement.moved() : null
  if (moved === null) return results
  const label = t('Content was written under {from}, but the URL of the site is {to}. On the server, run {command}', {
    from: moved.from,
    to: moved.to,
    command: `svc urls replace ${moved.from} ${moved.to}`,
  })
  return [{ label, status: 'recommended', description: '' }, ...results]
}

import { requestOf, VISITOR } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import { doNotCache } from '../../../library/caching/index.ts'
import { pageAround } from '../page-context.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import type { Texts } from '../texts.ts'

/** Action of the nonce in logout links. */
const LOG_OUT = 'log-out'

/** Renders a login link, or a logout link for logged-in users. */
export const renderLoginout: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { branding, services, urls, has } = rendering.plugin
  const page = pageAround(rendering)
  // Visitors share one rendered page, so it must not depend on the request.
  const request = page === null ? requestOf(rendering.scope) : null
  const user = page?.user ?? request?.user ?? VISITOR
  const isLoggedIn = user.id !== 0
  const login = urls.site(branding.loginPath)
  const currentPath = page === null ? (request?.url ?? '') : page.url.slice(urls.site('').length)
  const back = attributes['redirectToCurrent'] === false ? '' : currentPath
  const parameters: [string, string][] = back === '' ? [] : [['redirect_to', urls.site(back.split('?', 1).join(''))]]
  if (isLoggedIn) {
    parameters.unshift(['action', 'logout'])
    doNotCache('it contains a nonce of the user')
    if (has('cookie-auth')) parameters.push([branding.nonceParameter, services.nonces.create(LOG_OUT, user)])
  }
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const url = escapeHtml(query === '' ? login : `${login}?${query}`).replaceAll('&amp;', '&#038;')
  const { t } = await rendering.texts()
  const link = isLoggedIn
    ? `<a href="${url}">${t('Log out')}</a>`
    : `<a rel="nofollow" href="${url}">${t('Log in')}</a>`
  if (!isLoggedIn && attributes['displayLoginAsForm'] === true) {
    return `<div ${wrapperAttributes(block, { class: 'logged-out has-login-form' })}>${form(login, parameters, t)}</div>`
  }
  return `<div ${wrapperAttributes(block, { class: isLoggedIn ? 'logged-in' : 'logged-out' })}>${link}</div>`
}

function form(action: string, hidden: readonly (readonly [string, string])[], t: Texts['t']): string {
  const fields = hidden.map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}" />`)
  return (
    `<form name="loginform" id="loginform" action="${escapeHtml(action)}" method="post">` +
    `<p class="login-username"><label for="user_login">${t('Username or Email Address')}</label>` +
    '<input type="text" name="log" id="user_login" autocomplete="username" class="input" value="" size="20" /></p>' +
    `<p class="login-password"><label for="user_pass">${t('Password')}</label>` +
    '<input type="password" name="pwd" id="user_pass" autocomplete="current-password" class="input" value="" size="20" /></p>' +
    `<p class="login-submit"><input type="submit" class="button button-primary" value="${t('Log In')}" />${fields.join('')}</p></form>`
  )
}

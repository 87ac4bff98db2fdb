import apiFetch from '@wordpress/api-fetch'
import { setSettings } from '@wordpress/date'
import { initializeEditor as editPost } from '@wordpress/edit-post'
import { initializeEditor as editSite } from '@wordpress/edit-site'
import '@wordpress/format-library'
import { dispatch } from '@wordpress/data'
import { addFilter } from '@wordpress/hooks'
import { store as preferences } from '@wordpress/preferences'
import { revalidate } from './revalidate.js'
import './editor.css'
import { beat } from './heartbeat.js'
import { MediaDialog } from './media-dialog.js'
import { templateAutosaves } from './template-autosaves.js'
import { EDITOR_WORD, toEditor, translateBeacons, translateFetch } from './words.js'

const page = JSON.parse(document.getElementById('editor-page').textContent)
const { word, root, nonce, nonceUrl, preloaded, settings, dates, post, resizing } = page

// The editor checks this flag before it resizes images itself.
window.__clientSideMediaProcessing = resizing

if (word !== EDITOR_WORD) {
  translateFetch(word, root)
  translateBeacons(word, page.ajaxUrl)
}
const own = (value) => (word === EDITOR_WORD ? value : toEditor(word, value))

apiFetch.nonceEndpoint = nonceUrl
apiFetch.nonceMiddleware = apiFetch.createNonceMiddleware(nonce)
apiFetch.use(apiFetch.nonceMiddleware)
apiFetch.use(apiFetch.createRootURLMiddleware(root))
apiFetch.use(apiFetch.createPreloadingMiddleware(own(preloaded)))
apiFetch.use(revalidate)
apiFetch.use(templateAutosaves)
apiFetch.use(apiFetch.mediaUploadMiddleware)
setSettings(dates)

addFilter('editor.MediaUpload', 'svc-rest/media-dialog', () => MediaDialog)

if (post === null) {
  editSite('editor', own(settings))
} else {
  editPost('editor', own(post.type), post.id, own(settings), post.edits)
  beat(page, apiFetch.nonceMiddleware)
}

// The guides load images from another site.
for (const scope of ['core', 'core/edit-post', 'core/edit-site']) {
  dispatch(preferences).setDefaults(scope, {
    welcomeGuide: false,
    welcomeGuideStyles: false,
    welcomeGuidePage: false,
    welcomeGuideTemplate: false,
  })
}

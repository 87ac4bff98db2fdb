// Parts of pages that are loaded on their first use.

/**
 * Imports a part of the page. Shows a message if that fails.
 * @template T
 * @param {() => Promise<T>} part calls import()
 * @returns {Promise<T | null>} null if it fails
 */
export async function load(part) {
  document.querySelector('#load-failed')?.remove()
  try {
    return await part()
  } catch (error) {
    console.error(error)
    const notice = document.createElement('div')
    notice.id = 'load-failed'
    notice.className = 'notice error'
    notice.setAttribute('role', 'alert')
    notice.textContent = document.body.dataset['loadFailed'] ?? ''
    document.querySelector('#notices')?.append(notice)
    notice.scrollIntoView({ block: 'nearest' })
    return null
  }
}

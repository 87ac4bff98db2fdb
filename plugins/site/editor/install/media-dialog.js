import apiFetch from '@wordpress/api-fetch'
import { store as blockEditor } from '@wordpress/block-editor'
import { Button, FormFileUpload, Modal, Notice, SearchControl, Spinner } from '@wordpress/components'
import { useSelect } from '@wordpress/data'
import { createElement, useEffect, useState } from '@wordpress/element'
import { transformAttachment, uploadMedia } from '@wordpress/media-utils'
import { store as uploads } from '@wordpress/upload-media'
import { addQueryArgs } from '@wordpress/url'

const PER_PAGE = 40

/** Lets the user select files of the site, or upload files, with the REST API only. */
export function MediaDialog({ render, ...rest }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    rest.onClose?.()
  }
  return createElement(
    'span',
    { style: { display: 'contents' } },
    render({ open: () => setOpen(true) }),
    isOpen && createElement(Files, { ...rest, close }),
  )
}

function Files({ allowedTypes, multiple = false, value, title = 'Media', onSelect, close }) {
  const chosenBefore = [value].flat().filter((id) => typeof id === 'number')
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(1)
  const [files, setFiles] = useState(null)
  const [pages, setPages] = useState(1)
  const [chosen, setChosen] = useState(chosenBefore)
  const [fault, setFault] = useState(null)
  const [added, setAdded] = useState([])
  // The upload function of the editor: if it resizes images in the browser, it uploads their sizes afterwards.
  const send = useSelect((select) => select(blockEditor).getSettings().mediaUpload ?? uploadMedia, [])
  const isSending = useSelect((select) => select(uploads).isUploading(), [])

  useEffect(() => {
    let isActive = true
    const load = async () => {
      const types = (allowedTypes ?? []).map((type) => type.split('/')[0])
      const path = addQueryArgs('/wp/v2/media', {
        context: 'view',
        per_page: PER_PAGE,
        page,
        ...(search !== '' && { search }),
        ...(types.length > 0 && { media_type: [...new Set(types)].join(',') }),
      })
      const response = await apiFetch({ path, parse: false })
      const found = await response.json()
      if (!isActive) return
      setPages(Number(response.headers.get('X-WP-TotalPages')) || 1)
      setFiles((before) => (page === 1 ? found : [...(before ?? []), ...found]))
    }
    const timer = setTimeout(
      () => load().catch(({ message }) => isActive && setFault(message ?? 'The files could not be read.')),
      search === '' ? 0 : 300,
    )
    return () => {
      isActive = false
      clearTimeout(timer)
    }
  }, [search, page, added])

  const choose = (id) => {
    const without = chosen.filter((other) => other !== id)
    if (without.length < chosen.length) setChosen(without)
    else setChosen(multiple ? [...chosen, id] : [id])
  }
  const finish = async () => {
    const filesById = new Map((files ?? []).map((file) => [file.id, file]))
    // Files uploaded here may have received their sizes after they were listed.
    const find = (id) =>
      (added.includes(id) ? undefined : filesById.get(id)) ?? apiFetch({ path: `/wp/v2/media/${id}` })
    const all = await Promise.all(chosen.map(find))
    const media = all.map(transformed)
    onSelect(multiple ? media : media[0])
    close()
  }
  const upload = ({ currentTarget }) =>
    send({
      filesList: [...currentTarget.files],
      ...(allowedTypes && { allowedTypes }),
      multiple: true,
      onFileChange: (stored) => {
        const ids = stored.flatMap((file) => file?.id ?? [])
        if (ids.length === 0) return
        setChosen(multiple ? [...new Set([...chosen, ...ids])] : ids.slice(-1))
        setPage(1)
        setAdded((before) => [...new Set([...before, ...ids])])
      },
      onError: ({ message }) => setFault(message),
    })

  return createElement(
    Modal,
    { title, onRequestClose: close, size: 'large' },
    fault && createElement(Notice, { status: 'error', onRemove: () => setFault(null) }, fault),
    createElement(
      'div',
      { className: 'svc-media-bar' },
      createElement(SearchControl, {
        __nextHasNoMarginBottom: true,
        value: search,
        onChange: (text) => {
          setPage(1)
          setSearch(text)
        },
      }),
      createElement(
        FormFileUpload,
        {
          __next40pxDefaultSize: true,
          variant: 'secondary',
          multiple,
          accept: accepted(allowedTypes),
          onChange: upload,
        },
        'Upload',
      ),
    ),
    files === null
      ? createElement(Spinner)
      : createElement(
          'ul',
          { className: 'svc-media-files', 'aria-label': 'Files' },
          files.map((file) =>
            createElement('li', { key: file.id }, fileButton(file, chosen.includes(file.id), choose)),
          ),
        ),
    files?.length === 0 && createElement('p', null, 'There are no such files.'),
    page < pages && createElement(Button, { variant: 'tertiary', onClick: () => setPage(page + 1) }, 'More'),
    createElement(
      Button,
      {
        __next40pxDefaultSize: true,
        variant: 'primary',
        disabled: chosen.length === 0 || isSending,
        isBusy: isSending,
        onClick: finish,
      },
      'Select',
    ),
  )
}

function fileButton(
  { id, title, alt_text: alt, media_type: type, media_details: details, source_url: url },
  isChosen,
  choose,
) {
  const name = textOf(title?.rendered) || url.slice(url.lastIndexOf('/') + 1)
  const shown = details?.sizes?.thumbnail?.source_url ?? details?.sizes?.medium?.source_url ?? url
  return createElement(
    'button',
    { type: 'button', 'aria-pressed': isChosen, onClick: () => choose(id), title: name },
    type === 'image' && createElement('img', { src: shown, alt: alt || '', loading: 'lazy' }),
    name,
  )
}

/** Converts a file of the REST API to the attachment format that blocks expect. */
function transformed(file) {
  const { media_type: type, mime_type: mime, media_details: details, source_url: url, link } = file
  const sizes = Object.entries(details?.sizes ?? {}).map(([name, size]) => [
    name,
    { url: size.source_url, width: size.width, height: size.height },
  ])
  return {
    ...transformAttachment(file),
    link,
    type: type === 'file' ? mime.split('/')[0] : type,
    mime,
    width: details?.width,
    height: details?.height,
    filename: url.slice(url.lastIndexOf('/') + 1),
    sizes: Object.fromEntries([...sizes, ['full', { url, width: details?.width, height: details?.height }]]),
  }
}

function accepted(types) {
  return types?.map((type) => (type.includes('/') ? type : `${type}/*`)).join(',')
}

function textOf(html = '') {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent
}

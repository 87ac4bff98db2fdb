import { runDetached, type PluginContext } from '../../../kernel/index.ts'
import { contentIn } from './contents.ts'
import { Counts } from './counts.ts'
import { selectionOf } from './selection.ts'
import type { ExportOptions } from './types.ts'
import { FormatNames } from './wxr/names.ts'

/** Pieces of text that wait to be requested. */
const MAX_WAITING_PIECES = 64

/**
 * Yields an export as text. The snapshot is open while the text is read, and closed when the reader stops early. See
 * `Exporter.stream`.
 */
export async function* streamSite(
  plugin: PluginContext,
  { filter, format = 'wxr', revisions, user }: Pick<ExportOptions, 'filter' | 'format' | 'revisions' | 'user'>,
): AsyncGenerator<string | Uint8Array> {
  const { readable, writable } = new TransformStream<string | Uint8Array, string | Uint8Array>(
    {},
    { highWaterMark: MAX_WAITING_PIECES },
    { highWaterMark: MAX_WAITING_PIECES },
  )
  const names = new FormatNames(plugin.branding.typeName(''))
  const writer = writable.getWriter()
  // The snapshot belongs to the function that runs in it, so the text passes through a stream.
  // Detached: a download can take longer than the time limit of requests.
  const writing = runDetached(() =>
    plugin.services.store.snapshot(async (reader) => {
      const selection = await selectionOf(plugin, reader, names, filter, revisions)
      const source = { plugin, reader, selection, names, counts: new Counts() }
      for await (const piece of contentIn(format, source, user)) {
        await writer.ready
        await writer.write(piece)
      }
      await writer.close()
    }),
  ).catch((error: unknown) => writer.abort(error))
  try {
    yield* readable
  } finally {
    await writing.catch(() => {})
  }
}

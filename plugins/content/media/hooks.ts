import { syncFilter, type CurrentUser, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { PostTypes } from '../posts/index.ts'
import type { FileTypes } from './files/file-types.ts'

interface MediaHooks {
  /**
   * Filter: the MIME types that a user may upload, by lower-case file extension. For types that differ from the
   * default, the content of files is not checked: the plugin that adds the type is responsible for it. @since 0.1.0
   */
  upload_mimes: SyncFilter<FileTypes, [user: CurrentUser]>
}

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    attachment: PostTypes
  }
  interface Hooks extends MediaHooks {}
}

export const mediaHooks: HookSpecs<MediaHooks> = { upload_mimes: syncFilter('types', 'user') }

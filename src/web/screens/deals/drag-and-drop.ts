export { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
export { disableNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/disable-native-drag-preview'
export { DragPreview } from './drag-preview.tsx'

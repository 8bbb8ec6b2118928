export { draggable, dropTargetForElements, monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
export { disableNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/disable-native-drag-preview'
export { preventUnhandled } from '@atlaskit/pragmatic-drag-and-drop/prevent-unhandled'

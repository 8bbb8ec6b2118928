import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { BoardActions } from './actions.ts'
import type { BoardState } from './board-state.ts'

export type BoardParts = { board: BoardState; actions: BoardActions }

export const BoardContext = createContext<BoardParts | null>(null)

/** The board that the component is part of. */
export function useBoard(): BoardParts {
  const found = useContext(BoardContext)
  if (!found) throw new Error('There is no board around this component.')
  return found
}

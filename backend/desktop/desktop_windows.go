package desktop

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"mutsumi/backend/fault"
)

var fileOperation = windows.NewLazySystemDLL("shell32.dll").NewProc("SHFileOperationW")

// shFileOp is SHFILEOPSTRUCTW as 64-bit Windows lays it out.
type shFileOp struct {
	window    uintptr
	operation uint32
	from      *uint16
	to        *uint16
	flags     uint16
	aborted   int32
	mappings  uintptr
	title     *uint16
}

const (
	opDelete        = 3
	flagSilent      = 0x0004
	flagNoConfirm   = 0x0010
	flagAllowUndo   = 0x0040
	flagNoErrorUI   = 0x0400
	flagWarnIfNuked = 0x4000 // ask rather than delete where there is no recycle bin
)

// Trash moves a file or a folder to the recycle bin. Where a disk has none,
// Windows asks the person before it deletes anything.
func Trash(path string) error {
	abs, _, err := subject(path)
	if err != nil {
		return err
	}
	list, err := windows.UTF16FromString(abs)
	if err != nil {
		return fault.New(fault.Invalid, "move %s to the recycle bin: %w", path, err)
	}
	list = append(list, 0) // a list of paths ends with an empty one
	op := shFileOp{
		operation: opDelete,
		from:      &list[0],
		flags:     flagAllowUndo | flagNoConfirm | flagSilent | flagNoErrorUI | flagWarnIfNuked,
	}
	code, _, _ := fileOperation.Call(uintptr(unsafe.Pointer(&op)))
	switch {
	case op.aborted != 0:
		return fault.New(fault.Canceled, "%s was not moved to the recycle bin", path)
	case code != 0:
		return fault.New(fault.Invalid, "move %s to the recycle bin: %w", path, syscall.Errno(code))
	}
	return nil
}

// Reveal shows a file or folder in the Explorer, selected.
func Reveal(path string) error {
	abs, _, err := subject(path)
	if err != nil {
		return err
	}
	cmd := exec.Command("explorer.exe")
	// Explorer parses the comma and the quotes together; a path contains no quote.
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `explorer.exe /select,"` + abs + `"`}
	// Its exit status is 1 even when it worked.
	if err := cmd.Start(); err != nil {
		return fault.New(fault.NotFound, "the Explorer could not be opened: the file is %s", abs).Because(err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
